// For tests: a process that can start no more threads, for those who must go on all the same.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace tidemill::base::testing {

// While it lives: what is wanted of memory for a thread's stack is more than there is. A limit of processes does not
// bind the superuser.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_attr_t endless;
    ::pthread_getattr_default_np(&before_);
    ::pthread_getattr_default_np(&endless);
    ::pthread_attr_setstacksize(&endless, size_t{1} << 60);
    ::pthread_setattr_default_np(&endless);
    ::pthread_attr_destroy(&endless);
  }
  ~NoMoreThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace tidemill::base::testing

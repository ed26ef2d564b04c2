// For tests: a process that can open nothing more, for those who must not take that for what it is not.
#pragma once

#include <sys/resource.h>

namespace tidemill::base::testing {

// While it lives. The standard streams may be given on.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{kStandardStreams, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;

 private:
  static constexpr rlim_t kStandardStreams = 3;
  rlimit before_{};
};

}  // namespace tidemill::base::testing

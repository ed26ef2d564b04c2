// For tests: a process that can open nothing more, for those who must not take that for what it is not.
#pragma once

#include <sys/resource.h>

namespace tidemill::base::testing {

// Whether a program can do without opening any. The sanitizers open files themselves when they look at an object.
#if defined(__has_feature) && __has_feature(address_sanitizer)
inline constexpr bool kMayLackFiles = false;
#else
inline constexpr bool kMayLackFiles = true;
#endif

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

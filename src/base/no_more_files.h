// For tests: a process that can open nothing more, for those who must not take that for what it is not.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tidemill::base::testing {

// Whether a program can do without opening any. The sanitizers open files themselves when they look at an object.
#if defined(__has_feature) && __has_feature(address_sanitizer)
inline constexpr bool kMayLackFiles = false;
#else
inline constexpr bool kMayLackFiles = true;
#endif

// While it lives.
class NoMoreFiles {
 public:
  // The standard streams may be given on.
  NoMoreFiles() : NoMoreFiles(Below{kStandardStreams}) {}
  // But for `more` files.
  explicit NoMoreFiles(int more) : NoMoreFiles(Below{static_cast<rlim_t>(lowest_free() + more)}) {}
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;

 private:
  static constexpr rlim_t kStandardStreams = 3;

  struct Below {
    rlim_t descriptors;
  };
  explicit NoMoreFiles(Below most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{most.descriptors, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  static int lowest_free() {
    const int found = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(found);
    return found;
  }

  rlimit before_{};
};

}  // namespace tidemill::base::testing

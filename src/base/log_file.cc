#include "base/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>

#include "base/file.h"

namespace tidemill::base {

namespace {

namespace fs = std::filesystem;

class LogFile {
 public:
  LogFile(fs::path path, uint64_t bytes_max) : path_(std::move(path)), bytes_max_(bytes_max) {
    if (!open()) throw disk_error("cannot write the log", path_);
  }

  void write(std::string_view line) {
    if (bytes_ > 0 && bytes_ + line.size() > bytes_max_) turn_over();
    if (!file_.is_open() && !open()) return;
    if (const ssize_t written = ::write(file_.fd(), line.data(), line.size()); written > 0) {
      bytes_ += static_cast<uint64_t>(written);
    }
  }

 private:
  bool open() {
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    struct stat status {};
    bytes_ = file_.is_open() && ::fstat(file_.fd(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
    return file_.is_open();
  }

  void turn_over() {
    file_ = Descriptor();
    std::error_code ignored;
    for (int number = kLogFilesKept; number > 1; --number) fs::rename(numbered(number - 1), numbered(number), ignored);
    fs::rename(path_, numbered(1), ignored);
    bytes_ = 0;
  }

  [[nodiscard]] fs::path numbered(int number) const { return path_.native() + "." + std::to_string(number); }

  const fs::path path_;
  const uint64_t bytes_max_;
  Descriptor file_;
  uint64_t bytes_ = 0;
};

std::mutex mutex;
std::unique_ptr<LogFile>& log_file() {
  static auto* const file = new std::unique_ptr<LogFile>();  // threads may log to the very end
  return *file;
}

}  // namespace

void log_to_file(const fs::path& path, uint64_t bytes_max) {
  auto file = std::make_unique<LogFile>(path, bytes_max);
  const std::lock_guard lock(mutex);
  log_file() = std::move(file);
}

void log_to_standard_error() {
  const std::lock_guard lock(mutex);
  log_file().reset();
}

void write_log_line(std::string_view line) {
  {
    const std::lock_guard lock(mutex);
    if (log_file()) return log_file()->write(line);
  }
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace tidemill::base

#include "store/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "store/store.h"

namespace tidemill::store {

namespace {

constexpr std::string_view kFormatPrefix = "tidemill store format ";
constexpr const char* kFormatFile = "FORMAT";
constexpr const char* kLockFile = "LOCK";
constexpr std::chrono::milliseconds kLockPatience{1000};
constexpr std::chrono::milliseconds kLockRetry{5};

[[noreturn]] void fail(const std::string& what, int error) {
  throw OpenError(what + ": " + std::strerror(error));
}

// Takes the lock, or says by its errno why not: EWOULDBLOCK if somebody keeps it. A server that was killed while it
// started a process leaves a child that holds a copy of the lock until it becomes the other program, a moment later; so
// one refusal means little.
int lock(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline) return reason;
    std::this_thread::sleep_for(kLockRetry);
  }
  return 0;
}

// Whether a store is here or may be made here, and nothing else that others may have good reason to see.
bool is_ours(const std::filesystem::path& path) {
  return std::filesystem::exists(path / kFormatFile) || std::filesystem::exists(path / kLockFile) ||
         std::filesystem::is_empty(path);
}

// What is in the directory is its owner's alone, also if somebody else has made it.
void keep_from_others(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail("cannot read the data directory " + path.string(), errno);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  if (is_ours(path) && ::chmod(path.c_str(), S_IRWXU) == 0) return;
  throw OpenError("others may look into the data directory " + path.string() +
                  ": chmod 700 it, or choose another with --data");
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  if (const auto parent = path.parent_path(); !parent.empty()) {
    std::filesystem::create_directories(parent, error);
    if (error) fail("cannot create the data directory " + path.string(), error.value());
  }
  if (::mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) fail("cannot create the data directory " + path.string(), errno);
  if (!std::filesystem::is_directory(path)) {
    throw OpenError("the data directory " + path.string() + " is a file: choose another with --data");
  }
  keep_from_others(path);
}

}  // namespace

DataDirectory::DataDirectory(std::filesystem::path path) : path_(std::move(path)) {
  make_directory(path_);
  lock_fd_ = ::open((path_ / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0) fail("cannot write in the data directory " + path_.string(), errno);
  if (const int reason = lock(lock_fd_); reason != 0) {
    ::close(lock_fd_);
    if (reason != EWOULDBLOCK) fail("cannot lock the data directory " + path_.string(), reason);
    throw OpenError("the data directory " + path_.string() +
                    " is in use by another tidemill: stop that one or choose another with --data");
  }
  try {
    check_format();
  } catch (...) {
    ::close(lock_fd_);
    throw;
  }
}

DataDirectory::~DataDirectory() { ::close(lock_fd_); }

void DataDirectory::check_format() {
  std::ifstream file(path_ / kFormatFile, std::ios::binary);
  if (!file) {
    const int error = errno;
    if (std::filesystem::exists(path_ / kFormatFile)) fail("cannot read " + (path_ / kFormatFile).string(), error);
    return;
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  int format = 0;
  const std::string_view number = std::string_view(text).substr(std::min(kFormatPrefix.size(), text.size()));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), format);
  if (!text.starts_with(kFormatPrefix) || error != std::errc() || std::string_view(end) != "\n" || format < 1) {
    throw OpenError("the data directory " + path_.string() +
                    " is damaged (its file FORMAT is not readable): restore it from a backup");
  }
  if (format > kStoreFormat) {
    throw OpenError("the data directory " + path_.string() + " has format " + std::to_string(format) +
                    ", newer than this tidemill's " + std::to_string(kStoreFormat) + ": use a newer tidemill");
  }
  format_ = format;
}

void DataDirectory::mark_initialized() {
  try {
    base::write_file(path_ / kFormatFile, base::cat(kFormatPrefix, kStoreFormat, "\n"));
    if (const auto parent = path_.parent_path(); !parent.empty()) base::sync_directory(parent);
  } catch (const std::filesystem::filesystem_error& error) {
    throw OpenError(base::cat("cannot write in the data directory ", path_.string(), ": ", error.code().message()));
  }
  format_ = kStoreFormat;
}

}  // namespace tidemill::store

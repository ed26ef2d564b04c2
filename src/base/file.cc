#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace tidemill::base {

namespace {

constexpr size_t kReadBytes = size_t{64} << 10;

void write_all(const Descriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.fd(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw disk_error("cannot write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::filesystem::filesystem_error disk_error(const char* what, const std::filesystem::path& path) {
  return {what, path, std::error_code(errno, std::generic_category())};
}

void sync_file(const Descriptor& file, const std::filesystem::path& path) {
  if (!file.is_open() || ::fsync(file.fd()) != 0) throw disk_error("cannot sync", path);
}

void sync_directory(const std::filesystem::path& directory) {
  sync_file(Descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), directory);
}

void make_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0) {
    if (errno == EEXIST) return;
    throw disk_error("cannot make a directory", directory);
  }
  try {
    sync_directory(directory.parent_path());
  } catch (...) {
    ::rmdir(directory.c_str());  // whoever tries again must find it missing, not there and unsynced
    throw;
  }
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path unfinished = path.string() + ".new";
  {
    const Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.is_open()) throw disk_error("cannot write", unfinished);
    write_all(file, bytes, unfinished);
    sync_file(file, unfinished);
  }
  if (::rename(unfinished.c_str(), path.c_str()) != 0) throw disk_error("cannot write", path);
  sync_directory(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw disk_error("cannot read", path);
  std::string bytes;
  while (true) {
    const size_t before = bytes.size();
    bytes.resize(before + kReadBytes);
    const ssize_t got = ::read(file.fd(), bytes.data() + before, kReadBytes);
    if (got < 0 && errno != EINTR) throw disk_error("cannot read", path);
    bytes.resize(before + static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0) return bytes;
  }
}

}  // namespace tidemill::base

// Files and directories that are on the disk when a call returns. What fails throws std::system_error with the path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill::base {

// An open file; closed on every way out.
class Descriptor {
 public:
  // What open() gives: -1 is none.
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

// The error that errno stands for.
[[nodiscard]] std::filesystem::filesystem_error disk_error(const char* what, const std::filesystem::path& path);

// Of an open file, what is written in it.
void sync_file(const Descriptor& file, const std::filesystem::path& path);
// Of a directory, which names are in it.
void sync_directory(const std::filesystem::path& directory);

// Its owner's alone (0700). One that is there already stays as it is.
void make_directory(const std::filesystem::path& directory);

// Whole or not at all, whatever was there before; its owner's alone (0600). Makes "<path>.new" on the way.
void write_file(const std::filesystem::path& path, std::string_view bytes);
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace tidemill::base

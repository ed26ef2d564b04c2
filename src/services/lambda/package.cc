#include "services/lambda/package.h"

#include <fcntl.h>
#include <minizip/unzip.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "base/executor.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNameMax = 4096;
constexpr size_t kPieceBytes = 256 << 10;   // inflated at a time
constexpr size_t kBytesPerTurn = 1 << 20;   // until other work gets its turn
constexpr size_t kEntriesPerTurn = 64;
constexpr int kMadeByUnix = 3;
constexpr int kLinksFollowedMax = 40;  // on the way of one, as by the system

PackageError unreadable() {
  return PackageError("Could not unzip uploaded file. Please check your file, then try to upload again.");
}
PackageError empty() { return PackageError("Uploaded file must be a non-empty zip"); }
PackageError too_large() {
  return PackageError(base::cat("Unzipped size must be smaller than ", kUnzippedBytesMax, " bytes"));
}

fs::filesystem_error disk_error(const char* what, const fs::path& path) {
  return {what, path, std::error_code(errno, std::generic_category())};
}

struct Entry {
  fs::path name;
  uint64_t bytes = 0;
  mode_t mode = 0;  // 0: not said

  [[nodiscard]] bool is_directory() const { return name.filename().empty(); }
  [[nodiscard]] bool is_link() const { return S_ISLNK(mode); }
};

// A path that stays inside: relative, and never above its beginning.
bool stays_inside(const fs::path& path) {
  if (path.empty() || path.is_absolute()) return false;
  int depth = 0;
  for (const fs::path& part : path) {
    if (part == "..") --depth;
    else if (!part.empty() && part != ".") ++depth;
    if (depth < 0) return false;
  }
  return true;
}

class Zip {
 public:
  explicit Zip(const fs::path& path) {
    errno = 0;
    file_ = unzOpen64(path.c_str());
    if (file_) return;
    // Of a file that it cannot open the library tells no more than of one that is no zip.
    base::throw_if_wanting({errno, std::generic_category()}, "cannot read", path);
    // A zip of nothing is its end record alone, which the library does not open.
    std::string begin(4, '\0');
    std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    throw begin == "PK\x05\x06" ? empty() : unreadable();
  }
  ~Zip() { unzClose(file_); }
  Zip(const Zip&) = delete;

  int64_t entries() const {
    unz_global_info64 info{};
    if (unzGetGlobalInfo64(file_, &info) != UNZ_OK) throw unreadable();
    return static_cast<int64_t>(info.number_entry);
  }

  // The entry at which the file stands.
  Entry entry() const {
    unz_file_info64 info{};
    std::string name(kNameMax, '\0');
    if (unzGetCurrentFileInfo64(file_, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK) {
      throw unreadable();
    }
    constexpr uint64_t kEncrypted = 1;
    if (info.size_filename >= kNameMax || (info.flag & kEncrypted)) throw unreadable();
    name.resize(info.size_filename);
    if (name.find('\0') != std::string::npos || name.find('\\') != std::string::npos) throw unreadable();
    Entry entry{fs::path(name), info.uncompressed_size, 0};
    if (info.version >> 8 == kMadeByUnix) entry.mode = static_cast<mode_t>(info.external_fa >> 16);
    if (!stays_inside(entry.name)) throw unreadable();
    return entry;
  }

  void rewind() {
    if (unzGoToFirstFile(file_) != UNZ_OK) throw unreadable();
  }

  bool next() {
    const int result = unzGoToNextFile(file_);
    if (result == UNZ_END_OF_LIST_OF_FILE) return false;
    if (result != UNZ_OK) throw unreadable();
    return true;
  }

  void open() {
    if (unzOpenCurrentFile(file_) != UNZ_OK) throw unreadable();
  }
  // 0 at the end.
  size_t read(std::vector<char>& into) {
    const int size = unzReadCurrentFile(file_, into.data(), static_cast<unsigned>(into.size()));
    if (size < 0) throw unreadable();
    return static_cast<size_t>(size);
  }
  // Checks the entry's sum.
  void close() {
    if (unzCloseCurrentFile(file_) != UNZ_OK) throw unreadable();
  }

 private:
  unzFile file_ = nullptr;
};

class Unpacking {
 public:
  Unpacking(const fs::path& zip, fs::path directory) : zip_(zip), directory_(std::move(directory)) {}

  Task<void> run() {
    check_sizes_said();
    fs::create_directories(directory_);
    size_t count = 0;
    do {
      co_await unpack_entry(zip_.entry());
      if (++count % kEntriesPerTurn == 0) co_await base::yield();
    } while (zip_.next());
    // Links come last, so that nothing is ever written through one.
    for (const auto& [name, target] : links_) make_link(name, target);
    // And are followed once all are there: one leads through others, and so elsewhere than its text says.
    for (const auto& [name, target] : links_) {
      if (!leads_inside(name)) throw unreadable();
      if (++count % kEntriesPerTurn == 0) co_await base::yield();
    }
  }

 private:
  // What the directory says, before anything is written; inflate() sees what is true.
  void check_sizes_said() {
    const int64_t entries = zip_.entries();
    if (entries == 0) throw empty();
    if (entries > kPackageEntriesMax) throw too_large();
    uint64_t total = 0;
    do {
      const uint64_t bytes = zip_.entry().bytes;
      if (bytes > static_cast<uint64_t>(kUnzippedBytesMax)) throw too_large();
      total += bytes;
    } while (zip_.next());
    if (total > static_cast<uint64_t>(kUnzippedBytesMax)) throw too_large();
    zip_.rewind();
  }

  Task<void> unpack_entry(Entry entry) {
    const fs::path path = directory_ / entry.name;
    if (entry.is_directory()) {
      make_directories(path);
      co_return;
    }
    make_directories(path.parent_path());
    if (entry.is_link()) {
      std::string target;
      co_await inflate([&](std::string_view piece) { target.append(piece); });
      if (target.size() > kNameMax) throw unreadable();
      links_.emplace_back(entry.name, target);
      co_return;
    }
    const mode_t mode = entry.mode ? (entry.mode & 0777) | S_IRUSR : 0644;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode | S_IWUSR);
    if (fd < 0) {
      if (errno == EISDIR || errno == ELOOP || errno == ENAMETOOLONG) throw unreadable();
      throw disk_error("cannot create", path);
    }
    const std::unique_ptr<const int, void (*)(const int*)> closer(&fd, [](const int* open) { ::close(*open); });
    co_await inflate([&](std::string_view piece) { write_all(fd, piece, path); });
    ::fchmod(fd, mode);
  }

  template <class Take>
  Task<void> inflate(Take take) {
    zip_.open();
    while (const size_t size = zip_.read(buffer_)) {
      total_ += static_cast<int64_t>(size);
      if (total_ > kUnzippedBytesMax) throw too_large();
      take(std::string_view(buffer_.data(), size));
      turn_ += size;
      if (turn_ < kBytesPerTurn) continue;
      turn_ = 0;
      co_await base::yield();
    }
    zip_.close();
  }

  static void write_all(int fd, std::string_view bytes, const fs::path& path) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written < 0) throw disk_error("cannot write", path);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }

  void make_directories(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error == std::errc::not_a_directory || error == std::errc::file_exists ||
        error == std::errc::filename_too_long) {
      throw unreadable();
    }
    if (error) throw fs::filesystem_error("cannot create", path, error);
  }

  void make_link(const fs::path& name, const std::string& target) {
    const fs::path to(target);
    if (to.empty() || to.is_absolute()) throw unreadable();
    std::error_code error;
    // A directory in its place holds other entries; taking it away would lead them elsewhere.
    if (fs::is_directory(fs::symlink_status(directory_ / name, error))) throw unreadable();
    fs::remove(directory_ / name, error);
    fs::create_symlink(to, directory_ / name, error);
    if (error) throw unreadable();
  }

  // Walks as the system would, with the package for all there is. What is not there is a name as others.
  [[nodiscard]] bool leads_inside(const fs::path& link) const {
    std::deque<fs::path> ahead(link.begin(), link.end());
    fs::path at;  // without links
    for (int followed = 0; !ahead.empty();) {
      const fs::path part = std::move(ahead.front());
      ahead.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (at.empty()) return false;
        at = at.parent_path();
        continue;
      }
      std::error_code error;
      const fs::path target = fs::read_symlink(directory_ / at / part, error);
      if (error) {
        at /= part;
        continue;
      }
      if (++followed > kLinksFollowedMax) return false;
      ahead.insert(ahead.begin(), target.begin(), target.end());
    }
    return true;
  }

  Zip zip_;
  const fs::path directory_;
  std::vector<char> buffer_ = std::vector<char>(kPieceBytes);
  std::vector<std::pair<fs::path, std::string>> links_;
  int64_t total_ = 0;
  size_t turn_ = 0;
};

}  // namespace

Task<void> unpack(fs::path zip, fs::path directory) {
  Unpacking unpacking(zip, std::move(directory));
  co_await unpacking.run();
}

}  // namespace tidemill::lambda

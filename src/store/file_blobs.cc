#include "store/file_blobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

#include "base/blocking_work.h"
#include "base/future.h"
#include "base/log.h"
#include "base/text.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;

BlobError disk_error(std::string_view what) { return BlobError(base::cat(what, ": ", std::strerror(errno))); }

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += base::hex(static_cast<uint8_t>(byte), 2);
  return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string bytes;
  if (text.size() != 2 * BlobId::kSize) return std::nullopt;
  for (size_t i = 0; i < text.size(); i += 2) {
    if (value(text[i]) < 0 || value(text[i + 1]) < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(value(text[i]) << 4 | value(text[i + 1])));
  }
  return bytes;
}

class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

void sync_directory(const fs::path& directory) {
  const File file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.fd()) != 0) throw disk_error("cannot sync a directory");
}

void make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0)
    sync_directory(directory.parent_path());
  else if (errno != EEXIST)
    throw disk_error("cannot make a directory");
}

// The file of a writer. On one thread at a time: its jobs follow each other.
class NewFile {
 public:
  NewFile(fs::path root, std::string id, PieceObserver observe)
      : root_(std::move(root)),
        shard_(root_ / hex_of(id.substr(0, 1))),
        path_(shard_ / hex_of(id)),
        observe_(std::move(observe)) {}

  void open() {
    file_ = File(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file_.is_open() && errno == ENOENT) {
      make_directory(root_);
      make_directory(shard_);
      file_ = File(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    }
    if (!file_.is_open()) throw disk_error("cannot create a file");
  }

  void write(std::string_view piece) {
    if (observe_) observe_(piece);
    while (!piece.empty()) {
      const ssize_t written = ::write(file_.fd(), piece.data(), piece.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw disk_error("cannot write a file");
      piece.remove_prefix(static_cast<size_t>(written));
      size_ += written;
    }
    if (size_ - handed_on_ < static_cast<off_t>(kWriteBehindBytes)) return;
    // Only a hint: what counts is the sync at the end.
    (void)::sync_file_range(file_.fd(), handed_on_, size_ - handed_on_, SYNC_FILE_RANGE_WRITE);
    handed_on_ = size_;
  }

  void finish() {
    if (::fdatasync(file_.fd()) != 0) throw disk_error("cannot sync a file");
    file_ = File();
    sync_directory(shard_);
  }

  void remove() {
    file_ = File();
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) base::log_warning("blob_not_removed", {{"reason", std::strerror(errno)}});
  }

 private:
  const fs::path root_;
  const fs::path shard_;
  const fs::path path_;
  PieceObserver observe_;
  File file_;
  off_t size_ = 0;
  off_t handed_on_ = 0;
};

class FileBlobWriter final : public BlobWriter {
 public:
  FileBlobWriter(base::BlockingWork& disk, BlobId id, std::shared_ptr<NewFile> file)
      : disk_(disk), id_(std::move(id)), file_(std::move(file)) {}

  ~FileBlobWriter() override {
    if (!file_) return;
    // Behind the job that is under way, if there is one.
    disk_.post([file = std::move(file_), last = std::move(last_)]() mutable {
      if (last) wait_for(*last);
      file->remove();
    });
  }

  Task<void> write(std::string piece) override {
    co_await settle();
    start([file = file_, piece = std::move(piece)] { file->write(piece); });
  }

  Task<void> finish() override {
    co_await settle();
    start([file = file_] { file->finish(); });
    co_await settle();
  }

  BlobId hand_over() override {
    file_.reset();
    return std::move(id_);
  }

 private:
  // One job, and what became of it.
  struct Job {
    base::Future<std::exception_ptr> done;  // null: well
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;
  };

  static void wait_for(Job& job) {
    std::unique_lock lock(job.mutex);
    job.ended.wait(lock, [&] { return job.has_ended; });
  }

  template <class Work>
  void start(Work work) {
    last_ = std::make_shared<Job>();
    settled_ = false;
    disk_.post([job = last_, work = std::move(work)] {
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      {
        const std::lock_guard lock(job->mutex);
        job->has_ended = true;
      }
      job->ended.notify_all();
      job->done.set(failure);
    });
  }

  Task<void> settle() {
    if (settled_) co_return;
    const std::exception_ptr failure = co_await last_->done;
    settled_ = true;
    if (failure) std::rethrow_exception(failure);
  }

  base::BlockingWork& disk_;
  BlobId id_;
  std::shared_ptr<NewFile> file_;
  std::shared_ptr<Job> last_;
  bool settled_ = true;
};

class FileBlobs final : public Blobs {
 public:
  explicit FileBlobs(fs::path directory) : directory_(std::move(directory)), disk_(kBlobThreadsMax) {}

  Task<std::unique_ptr<BlobWriter>> create(PieceObserver observe) override {
    BlobId id = new_id();
    auto file = std::make_shared<NewFile>(directory_, id.bytes, std::move(observe));
    co_await disk_.run([file] { file->open(); });
    co_return std::make_unique<FileBlobWriter>(disk_, std::move(id), std::move(file));
  }

  Task<std::string> read(BlobId id, uint64_t offset, size_t size) override {
    return disk_.run([path = path_of(id), offset, size] {
      const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file.is_open()) throw disk_error("cannot open a file");
      std::string bytes;
      bytes.resize_and_overwrite(size, [&](char* to, size_t room) {
        size_t filled = 0;
        while (filled < room) {
          const ssize_t got = ::pread(file.fd(), to + filled, room - filled, static_cast<off_t>(offset + filled));
          if (got < 0 && errno == EINTR) continue;
          if (got <= 0) break;
          filled += static_cast<size_t>(got);
        }
        return filled;
      });
      return bytes;
    });
  }

  Task<void> run_aside(std::function<void()> work) override { return disk_.run(std::move(work)); }

 protected:
  void remove_now(BlobId id) override {
    disk_.post([path = path_of(id)] {
      if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        base::log_warning("blob_not_removed", {{"reason", std::strerror(errno)}});
      }
    });
  }

  Task<std::vector<BlobId>> list(uint8_t shard) override {
    return disk_.run([directory = directory_ / base::hex(shard, 2)] {
      std::vector<BlobId> ids;
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(directory, none)) {
        if (auto bytes = bytes_of_hex(entry.path().filename().native())) ids.push_back({*std::move(bytes)});
      }
      return ids;
    });
  }

 private:
  [[nodiscard]] fs::path path_of(const BlobId& id) const {
    return directory_ / hex_of(id.bytes.substr(0, 1)) / hex_of(id.bytes);
  }

  const fs::path directory_;
  base::BlockingWork disk_;
};

}  // namespace

std::unique_ptr<Blobs> open_file_blobs(fs::path directory) { return std::make_unique<FileBlobs>(std::move(directory)); }

}  // namespace tidemill::store

#include "store/file_blobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "base/blocking_work.h"
#include "base/file.h"
#include "base/future.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"
#include "base/work_lane.h"
#include "store/log_ledger.h"
#include "store/paused.h"
#include "store/summed_file.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummedSuffix = ".sum";

// Throws StorePaused if there is no room.
BlobError blob_error(std::string_view what, int error) {
  if (error == ENOSPC || error == EDQUOT) throw StorePaused("the disk is full: the body has no room on it");
  if (error == EMFILE || error == ENFILE) throw StorePaused("too many files are open: the body cannot be opened");
  return BlobError(base::cat(what, ": ", std::strerror(error)));
}
BlobError disk_error(std::string_view what) { return blob_error(what, errno); }

auto as_blob_error(auto&& work) {
  try {
    return work();
  } catch (const std::system_error& error) {
    throw blob_error("the disk does not take or give a file", error.code().value());
  }
}

// A blob's file as it is found. Those that were written before format 4 carry no sums.
struct FoundFile {
  base::Descriptor file;
  bool has_sums = false;
};

FoundFile find_file(const fs::path& path) {
  base::Descriptor summed(::open((path.native() + kSummedSuffix).c_str(), O_RDONLY | O_CLOEXEC));
  if (summed.is_open()) return {std::move(summed), true};
  if (errno != ENOENT) throw disk_error("cannot open a file");
  base::Descriptor plain(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (plain.is_open()) return {std::move(plain), false};
  throw errno == ENOENT ? BlobError(base::cat("the file of the body ", path.filename().native(), " is missing"))
                        : disk_error("cannot open a file");
}

BlobError damaged(const fs::path& path, const std::string& how) {
  return BlobError(base::cat("the file of the body ", path.filename().native(), " is damaged: ", how));
}

uint64_t bytes_of(const FoundFile& found, const fs::path& path) {
  struct stat status {};
  if (::fstat(found.file.fd(), &status) != 0) throw disk_error("cannot read a file");
  if (!found.has_sums) return static_cast<uint64_t>(status.st_size);
  try {
    return summed_bytes(status.st_size);
  } catch (const Damage& damage) {
    throw damaged(path, damage.what());
  }
}

std::string read_plain(const base::Descriptor& file, uint64_t offset, size_t size) {
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
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  base::log_warning("blob_not_removed", {{"reason", std::strerror(errno)}});
}

// Of each shard whether this process has synced the name of its directory. One that is there may just have
// been made by another writer, which has not come to that yet.
using SyncedShards = std::array<std::atomic<bool>, 256>;

// The file of a writer. On one thread at a time: its jobs follow each other.
class NewFile {
 public:
  NewFile(fs::path root, std::string id, std::shared_ptr<SyncedShards> shards)
      : shards_(std::move(shards)),
        root_(std::move(root)),
        shard_(root_ / base::hex_of(id.substr(0, 1))),
        path_(shard_ / (base::hex_of(id) + kSummedSuffix)),
        id_(std::move(id)) {}

  void open() {
    base::Descriptor file = create();
    if (!file.is_open() && errno == ENOENT) {
      make_directories();
      file = create();
    }
    if (!file.is_open()) throw disk_error("cannot create a file");
    file_.emplace(std::move(file), id_);
  }

  void write(std::string_view piece) {
    as_blob_error([&] { file_->append(piece); });
    if (file_->bytes() - handed_on_ < static_cast<off_t>(kWriteBehindBytes)) return;
    // Only a hint: what counts is the sync at the end.
    (void)::sync_file_range(file_->file().fd(), handed_on_, file_->bytes() - handed_on_, SYNC_FILE_RANGE_WRITE);
    handed_on_ = file_->bytes();
  }

  void finish() {
    as_blob_error([&] { file_->finish(); });
    if (::fdatasync(file_->file().fd()) != 0) throw disk_error("cannot sync a file");
    file_.reset();
  }

  // On any thread, once it is open: its name is on the disk from then on, whatever becomes of its bytes.
  void sync_name() const {
    as_blob_error([&] {
      base::sync_directory(shard_);
      std::atomic<bool>& is_synced = (*shards_)[static_cast<unsigned char>(id_.front())];
      if (is_synced) return;
      base::sync_directory(root_);
      base::sync_directory(root_.parent_path());
      is_synced = true;
    });
  }

  void remove() {
    file_.reset();
    remove_file(path_);
  }

 private:
  void make_directories() {
    as_blob_error([&] {
      base::make_directory(root_);
      base::make_directory(shard_);
    });
  }

  [[nodiscard]] base::Descriptor create() const {
    return base::Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }

  const std::shared_ptr<SyncedShards> shards_;
  const fs::path root_;
  const fs::path shard_;
  const fs::path path_;
  const std::string id_;
  std::optional<SummedWriter> file_;
  off_t handed_on_ = 0;
};

// Sums and writes go beside each other, each in order, so that a piece costs the longer of the two; and the file's name
// goes to the disk while its bytes still come.
class FileBlobWriter final : public BlobWriter {
 public:
  FileBlobWriter(base::BlockingWork& disk, BlobId id, std::shared_ptr<NewFile> file, PieceObserver observe)
      : writes_(disk),
        sums_(disk),
        id_(std::move(id)),
        file_(std::move(file)),
        named_(base::WorkLane(disk).run([named = file_] { named->sync_name(); })) {
    if (observe) observe_ = std::make_shared<PieceObserver>(std::move(observe));
  }

  ~FileBlobWriter() override {
    if (file_) writes_.post([file = std::move(file_)] { file->remove(); });
  }

  Task<void> write(std::string piece) override {
    while (in_flight_ >= kBlobBytesInFlight) co_await settle_first();
    batch_bytes_ += piece.size();
    batch_.push_back(std::move(piece));
    if (batch_bytes_ >= kBlobBatchBytes || is_idle()) start_batch();
  }

  Task<void> finish() override {
    start_batch();
    start(0, writes_.run([file = file_] { file->finish(); }));
    while (!jobs_.empty()) co_await settle_first();
    if (const auto failure = co_await named_; failure && !failure_) failure_ = failure;
    if (failure_) std::rethrow_exception(failure_);
  }

  BlobId hand_over() override {
    file_.reset();
    return std::move(id_);
  }

 private:
  struct Job {
    size_t bytes;
    base::Future<std::exception_ptr> done;
  };

  [[nodiscard]] bool is_idle() const {
    return std::ranges::all_of(jobs_, [](const Job& job) { return job.done.has_value(); });
  }

  void start_batch() {
    const auto batch = std::make_shared<const std::vector<std::string>>(std::exchange(batch_, {}));
    if (observe_) {
      start(0, sums_.run([observe = observe_, batch] {
        for (const std::string& piece : *batch) (*observe)(piece);
      }));
    }
    start(std::exchange(batch_bytes_, 0), writes_.run([file = file_, batch] {
      for (const std::string& piece : *batch) file->write(piece);
    }));
  }

  void start(size_t bytes, base::Future<std::exception_ptr> done) {
    in_flight_ += bytes;
    jobs_.push_back({bytes, std::move(done)});
  }

  // Throws what any has thrown, from then on.
  Task<void> settle_first() {
    const std::exception_ptr failure = co_await jobs_.front().done;
    in_flight_ -= jobs_.front().bytes;
    jobs_.pop_front();
    if (failure && !failure_) failure_ = failure;
    if (failure_) std::rethrow_exception(failure_);
  }

  base::WorkLane writes_;
  base::WorkLane sums_;
  BlobId id_;
  std::shared_ptr<NewFile> file_;
  base::Future<std::exception_ptr> named_;
  std::shared_ptr<PieceObserver> observe_;
  std::vector<std::string> batch_;  // not started yet
  size_t batch_bytes_ = 0;
  std::deque<Job> jobs_;
  size_t in_flight_ = 0;
  std::exception_ptr failure_;
};

class FileBlobs final : public Blobs {
 public:
  explicit FileBlobs(fs::path directory) : directory_(std::move(directory)), disk_(kBlobThreadsMax) {}

  Task<std::unique_ptr<BlobWriter>> create(PieceObserver observe) override {
    BlobId id = new_id();
    auto file = std::make_shared<NewFile>(directory_, id.bytes, shards_);
    co_await disk_.run([file] { file->open(); });
    co_return std::make_unique<FileBlobWriter>(disk_, std::move(id), std::move(file), std::move(observe));
  }

  Task<std::string> read(BlobId id, uint64_t offset, size_t size) override {
    return disk_.run([path = path_of(id), id = id.bytes, offset, size] {
      const FoundFile found = find_file(path);
      if (!found.has_sums) return read_plain(found.file, offset, size);
      try {
        return as_blob_error([&] { return read_summed(found.file, id, offset, size); });
      } catch (const Damage& damage) {
        throw damaged(path, damage.what());
      }
    });
  }

  Task<void> require(std::vector<BlobExtent> extents) override {
    return disk_.run([this, extents = std::move(extents)] {
      for (const BlobExtent& extent : extents) {
        const fs::path path = path_of(extent.id);
        const uint64_t bytes = bytes_of(find_file(path), path);
        if (bytes < extent.bytes) throw damaged(path, base::cat("it has ", bytes, " bytes of ", extent.bytes));
      }
    });
  }

  Task<void> run_aside(std::function<void()> work) override { return disk_.run(std::move(work)); }

 protected:
  void remove_now(BlobId id) override {
    disk_.post([path = path_of(id)] {
      remove_file(path.native() + kSummedSuffix);
      remove_file(path);
    });
  }

  Task<std::vector<BlobId>> list(uint8_t shard) override {
    return disk_.run([directory = directory_ / base::hex(shard, 2)] {
      std::vector<BlobId> ids;
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(directory, none)) {
        auto bytes = base::bytes_of_hex(entry.path().stem().native());
        if (bytes && bytes->size() == BlobId::kSize) ids.push_back({*std::move(bytes)});
      }
      return ids;
    });
  }

 private:
  [[nodiscard]] fs::path path_of(const BlobId& id) const {
    return directory_ / base::hex_of(id.bytes.substr(0, 1)) / base::hex_of(id.bytes);
  }

  const fs::path directory_;
  const std::shared_ptr<SyncedShards> shards_ = std::make_shared<SyncedShards>();
  base::BlockingWork disk_;
};

}  // namespace

std::unique_ptr<Blobs> open_file_blobs(fs::path directory) { return std::make_unique<FileBlobs>(std::move(directory)); }

}  // namespace tidemill::store

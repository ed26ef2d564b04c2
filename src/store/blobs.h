// Blobs: large values that are files beside the store, each written once and never changed. What refers to one says so in
// the transaction that makes the reference, so that after a crash the files that nothing refers to can be told from the
// others.
//
//   auto writer = co_await blobs.create(observe);
//   while (auto piece = co_await body.read()) co_await writer->write(*std::move(piece));
//   co_await writer->finish();                                     // file and name are on the disk
//   const BlobId id = writer->hand_over();                         // from here on it is the transaction's
//   co_await store.transact([&](Transaction& txn) -> Task<void> { co_await blobs.refer_to_new(txn, id); ... });
//
// Several processes may share the blobs with the store: each says as which life of a member (lease.h) it writes, and what is
// written and not referred to yet is nobody's orphan as long as that life goes on. Once it has ended, nothing of it can be
// referred to any more.
//
// A blob may be referred to several times; it goes with the last reference. Removing one while somebody reads it waits until
// they have ended (Pins).
//
// Backends: files (file_blobs.cc), and in memory with crashes (sim_blobs.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "store/lease.h"
#include "store/store.h"

namespace tidemill::store {

// The last bytes tell who has written it: drawn by a process at its start, or of a member's life. The first are drawn for
// each blob.
struct BlobId {
  static constexpr size_t kSize = 16;
  static constexpr size_t kProcessSize = 8;
  std::string bytes;
  auto operator<=>(const BlobId&) const = default;
};

// How much of a blob there must be.
struct BlobExtent {
  BlobId id;
  uint64_t bytes;
};

// The disk does not take or give a blob; what() says why, without names of what is in it.
class BlobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One coroutine at a time. Destroyed before hand_over(): what was written is removed.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // Waits while the disk is behind: a bounded part of the blob is on its way. Throws BlobError, also of an earlier piece.
  virtual Task<void> write(std::string piece) = 0;
  // Returns once all bytes and the file's name would survive a power failure, and all has been seen. Throws BlobError.
  virtual Task<void> finish() = 0;
  // After finish(): this no longer removes the file, whatever becomes of it.
  virtual BlobId hand_over() = 0;
};

// Sees each piece, in order, one at a time, while others are written: for checksums. On any thread; it must own what it uses,
// since a writer may go while it is at it.
using PieceObserver = std::function<void(std::string_view piece)>;

// Any thread, on an executor. The waits may be abandoned.
class Blobs {
 public:
  virtual ~Blobs() = default;

  virtual Task<std::unique_ptr<BlobWriter>> create(PieceObserver observe) = 0;
  // At most `size` bytes from `offset` on; fewer at its end only. Throws BlobError, also if there is no such blob, or if
  // they are not what was written.
  virtual Task<std::string> read(BlobId id, uint64_t offset, size_t size) = 0;
  // Throws BlobError unless all of them are there with at least so many bytes. Does not read what they hold.
  virtual Task<void> require(std::vector<BlobExtent> extents) = 0;

  // From now on blobs are of this life. Not called: this process has the store to itself.
  void live_as(const Member& member);

  // The first reference to a blob of this process. Reads nothing if it has the store to itself. Throws BlobError if the
  // life in which it was written has ended: others have removed it, or will.
  Task<void> refer_to_new(Transaction& txn, BlobId id);

  // Runs `work` where it does not hold up an executor. It must own what it uses.
  virtual Task<void> run_aside(std::function<void()> work) = 0;

  // Keeps blobs that are about to be read. What has been pinned before the snapshot was taken that shows the reference
  // stays until the pins go.
  class Pins {
   public:
    Pins() = default;
    Pins(Blobs& blobs, std::vector<BlobId> ids);
    Pins(Pins&& other) noexcept { *this = std::move(other); }
    Pins& operator=(Pins&& other) noexcept;
    ~Pins() { release(); }

   private:
    void release();
    Blobs* blobs_ = nullptr;
    std::vector<BlobId> ids_;
  };

  // While one lives no blob goes: for whoever copies them all.
  class Hold {
   public:
    explicit Hold(Blobs& blobs);
    ~Hold();
    Hold(const Hold&) = delete;

   private:
    Blobs& blobs_;
  };

  // Removes a blob whose last reference is durably gone, at once or when nobody reads it any more. Does not wait.
  void remove(BlobId id);

  // Removes what processes that are no more left without a reference. When the store is open, and after a member was
  // buried; uploads may be under way, here and elsewhere.
  Task<void> remove_orphans(Store& store);

 protected:
  // At some time from now on. Whether there is one does not matter.
  virtual void remove_now(BlobId id) = 0;
  // The ids that are there and begin with `shard`.
  virtual Task<std::vector<BlobId>> list(uint8_t shard) = 0;
  // A new id of this process, or of its life.
  BlobId new_id();

 private:
  Task<std::vector<BlobId>> orphans_of(Store& store, uint8_t shard);

  struct Life {
    std::string tag;  // the last bytes of its blobs
    Member member;
  };
  // Those that have uploads under way, one would think: a process that has begun so many in their time has ended them.
  static constexpr size_t kLivesMax = 16;

  [[nodiscard]] std::string tag() const;

  const std::string process_ = random_process();
  static std::string random_process();
  mutable std::mutex mutex_;
  std::deque<Life> lives_;  // the newest last; none: this process has the store to itself
  std::map<std::string, int> pinned_;
  int holds_ = 0;
  std::set<std::string> waiting_;  // to be removed when they are no longer pinned or held
};

// One more reference, where there is one: throws std::logic_error otherwise.
Task<void> refer_to_blob(Transaction& txn, BlobId id);
// One reference fewer. True: it was the last, and the file is to be removed once this has committed.
Task<bool> drop_blob(Transaction& txn, BlobId id);

}  // namespace tidemill::store

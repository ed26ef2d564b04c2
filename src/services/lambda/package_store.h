// The packages of all functions. Each is a blob that the store's records name (package_record.h), whichever process took it;
// beside the store lies what this process has unpacked of them, which is only a cache:
//
//   <directory>/<digest>/        unpacked from the package of that digest
//   <directory>/layers-<sum>/    several of them merged, as the layers of a function (layer_set.h)
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "base/task.h"
#include "services/lambda/package.h"
#include "services/lambda/package_record.h"
#include "store/write_queue.h"
#include "wire/error.h"

namespace tidemill::lambda {

// SHA-256, hexadecimal. Lets other work run in between.
Task<std::string> digest_of(std::string_view bytes);

class PackageStore {
 public:
  // What is unpacked of a package that no function names any more is kept at least so long: processes may still run from it.
  static constexpr std::chrono::minutes kKeepReleased{20};
  // The same of one that was unpacked for nothing: an equal one may be on its way.
  static constexpr std::chrono::minutes kKeepRefused{1};

  // Makes `directory`, removes what was left half written, and what is unpacked if the machine has been started since
  // (it was not synced). Throws std::filesystem::filesystem_error. `store` and `blobs` outlive this.
  PackageStore(store::Store& store, store::Blobs& blobs, std::filesystem::path directory,
               std::chrono::minutes keep_refused = kKeepRefused);

  // Takes over the packages of a directory of format 4, where they lay as <digest>.zip. Once, before the first operation.
  Task<void> import_files();

  // A package on its way into the store.
  class Upload {
   public:
    Upload(store::Blobs& blobs, std::string digest, int64_t bytes)
        : blobs_(blobs), digest_(std::move(digest)), bytes_(bytes) {}
    [[nodiscard]] const std::string& digest() const { return digest_; }
    [[nodiscard]] int64_t bytes() const { return bytes_; }
    // One more function names it: in the transaction that saves that, first of all.
    Task<void> refer(store::Transaction& txn);

   private:
    friend class PackageStore;
    // The package that was there went meanwhile: it must be written.
    struct Gone {};
    void remove_unused();

    store::Blobs& blobs_;
    const std::string digest_;
    const int64_t bytes_;
    std::optional<store::BlobId> blob_;  // written for it
    bool uses_blob_ = false;             // as the last attempt has it
  };

  // A package that is unpacked, though perhaps nothing names it: unless that is done, or it is used otherwise, it goes
  // some time after this.
  class Checked {
   public:
    Checked(PackageStore& store, std::string digest, std::chrono::minutes keep)
        : store_(&store), digest_(std::move(digest)), keep_(keep) {}
    Checked(Checked&& other) noexcept
        : store_(std::exchange(other.store_, nullptr)), digest_(std::move(other.digest_)), keep_(other.keep_) {}
    ~Checked() {
      if (store_) store_->release(digest_, keep_);
    }
    [[nodiscard]] const std::string& digest() const { return digest_; }
    void is_named() { store_ = nullptr; }

   private:
    PackageStore* store_;
    std::string digest_;
    std::chrono::minutes keep_;
  };

  // Checks a package and unpacks it. Throws PackageError, and std::filesystem::filesystem_error if the disk does not take
  // it.
  Task<Checked> check(std::string_view zip);

  // The same, and stores it together with what `body` changes: body(Transaction&, Upload&) calls refer(). Gives what that
  // gives. Throws also store::BlobError, and what the body throws. `zip` outlives the task.
  template <class Body>
  auto save(std::string_view zip, Body body) ->
      typename std::invoke_result_t<Body&, store::Transaction&, Upload&> {
    Checked checked = co_await check(zip);
    Upload upload(blobs_, checked.digest(), static_cast<int64_t>(zip.size()));
    if (!co_await load_package(*store_.snapshot(), upload.digest())) co_await write_blob(zip, upload);
    for (;;) {
      try {
        auto result =
            co_await store_.transact([&](store::Transaction& txn) { return body(txn, upload); });
        checked.is_named();
        if (!upload.uses_blob_) upload.remove_unused();
        co_return result;
      } catch (const Upload::Gone&) {
      } catch (const wire::Error&) {
        upload.remove_unused();
        throw;
      }
      co_await write_blob(zip, upload);
    }
  }

  // The package as it was uploaded; nothing if there is none of that digest. Throws store::BlobError.
  Task<std::optional<std::string>> read_zip(std::string digest);

  // Sees to it that the package is unpacked here, once for all that wait for it. Cheap if it is. Throws
  // std::runtime_error if it is lost.
  Task<void> ensure_unpacked(std::string digest);
  // The same of packages that stand merged in a directory of their own (layer_set.h), in their order.
  Task<void> ensure_merged(std::vector<std::string> digests);

  // Of a package that is unpacked: the bytes of all its files.
  Task<int64_t> unpacked_bytes(std::string digest);
  // The names in one of its directories; none: it has no such directory.
  Task<std::vector<std::string>> names_in(std::string digest, std::string directory);

  // After a commit that dropped packages: the blobs go, and what is unpacked some time later.
  void forget(DroppedPackages dropped);
  // Makes candidates for removal of all that is unpacked: for the start, when nobody uses any.
  void release_all();
  // Removes what was released some time ago and no function names. By each check, too.
  Task<void> remove_released();

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  // What perhaps no function names, and when it may go.
  using Candidates = std::map<std::string, base::Time>;

  // A file or directory that is being made or removed; what still bears its name at the end is removed.
  class Fresh {
   public:
    explicit Fresh(PackageStore& store);
    ~Fresh();
    Fresh(const Fresh&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

   private:
    PackageStore& store_;
    const std::filesystem::path path_;
  };
  // A package that does not go while this lives.
  struct Held {
    PackageRecord record;
    store::Blobs::Pins pins;
  };

  struct Wanted;  // by one of those that wait for the same

  Task<std::optional<Held>> hold(std::string digest);
  Task<void> once(std::string name, std::function<Task<void>()> make);
  Task<void> write_blob(std::string_view zip, Upload& upload);
  Task<void> import_file(std::filesystem::path zip, std::string digest, int64_t functions);
  Task<std::map<std::string, int64_t>> count_functions();
  Task<void> unpack_from_blob(std::string digest);
  Task<void> unpack_to_cache(std::filesystem::path zip, std::string digest);
  Task<void> merge_to_cache(std::string name, std::vector<std::string> digests);
  void release(const std::string& digest, std::chrono::minutes keep);
  // What is ready comes under its name, unless somebody else's has.
  void name_unpacked(const Fresh& fresh, std::string name);
  [[nodiscard]] bool is_unpacked(const std::string& digest);
  [[nodiscard]] Candidates released() const;
  void remove(const Candidates& candidates);

  store::Store& store_;
  store::Blobs& blobs_;
  const std::filesystem::path directory_;
  const std::chrono::minutes keep_refused_;
  std::atomic<uint64_t> fresh_count_ = 0;
  mutable std::mutex mutex_;
  std::set<std::string> unpacked_;  // known to be
  Candidates released_;             // in the machine's time
  store::WriteQueue making_;  // by the names of what is to be unpacked or merged
  base::BlockingWork disk_;
};

}  // namespace tidemill::lambda

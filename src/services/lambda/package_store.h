// The packages of all functions, as files beside the store:
//
//   <directory>/<digest>.zip   what was uploaded; durable before the function that names it commits
//   <directory>/<digest>/      unpacked from it; only a cache
//
// The digest is the SHA-256 of the zip, hexadecimal: equal packages are kept once.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "base/task.h"
#include "services/lambda/package.h"

namespace tidemill::lambda {

// SHA-256, hexadecimal. Lets other work run in between.
Task<std::string> digest_of(std::string_view bytes);

class PackageStore {
 public:
  // A package that no function names any more is kept at least so long: processes may still run from it.
  static constexpr std::chrono::minutes kKeepReleased{20};

  // Makes `directory`, removes what was left half written, and what is unpacked if the machine has been started since
  // (it was not synced). Throws std::filesystem::filesystem_error.
  explicit PackageStore(std::filesystem::path directory);

  // Keeps its package from being removed. At its end the package is a candidate for that.
  class Pin {
   public:
    Pin(PackageStore& store, std::string digest);
    ~Pin();
    Pin(const Pin&) = delete;
    [[nodiscard]] const std::string& digest() const { return digest_; }

   private:
    PackageStore& store_;
    const std::string digest_;
  };

  // Stores a package durably and unpacks it. Hold the pin until the function that names it has committed. Throws
  // PackageError, and std::filesystem::filesystem_error if the disk does not take it.
  Task<std::shared_ptr<Pin>> add(std::string_view zip);

  // The package as it was uploaded; nothing if there is none of that digest.
  Task<std::optional<std::string>> read_zip(std::string digest);

  // Sees to it that the package is unpacked. Cheap if it is.
  Task<void> ensure_unpacked(std::string digest);

  // Packages that perhaps no function names, and since when.
  using Candidates = std::map<std::string, base::Time>;

  // A function that named the package no longer does.
  void release(const std::string& digest);
  // Makes candidates of all packages that are there: for the start, when nobody uses any.
  void release_all();
  // Those released longer ago than kKeepReleased.
  [[nodiscard]] Candidates released() const;
  // No candidate any more: a function names it.
  void keep(const std::string& digest);
  // Removes those of `candidates` that nobody has used since they became that.
  void remove(const Candidates& candidates);

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
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

  [[nodiscard]] std::filesystem::path zip_path(std::string_view digest) const;
  Task<void> write_zip(std::string_view zip, std::filesystem::path path);
  Task<void> unpack_to_cache(std::filesystem::path zip, std::string digest);

  const std::filesystem::path directory_;
  std::atomic<uint64_t> fresh_count_ = 0;
  mutable std::mutex mutex_;
  std::multiset<std::string> pinned_;
  std::set<std::string> unpacked_;  // known to be
  Candidates released_;             // in the machine's time
  base::BlockingWork disk_;
};

}  // namespace tidemill::lambda

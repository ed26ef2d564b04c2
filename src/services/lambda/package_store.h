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
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "services/lambda/package.h"

namespace tidemill::lambda {

// "00ff…" as bytes; of a digest that came from here.
[[nodiscard]] std::string bytes_of_digest(std::string_view hexadecimal);
// SHA-256, hexadecimal. Lets other work run in between.
Task<std::string> digest_of(std::string_view bytes);

class PackageStore {
 public:
  // A package that no function names any more is kept at least so long: processes may still run from it.
  static constexpr std::chrono::minutes kKeepReleased{20};

  // Makes `directory`, removes what was left half written, and what is unpacked if the machine has been started since
  // (it was not synced). Throws std::filesystem::filesystem_error.
  explicit PackageStore(std::filesystem::path directory);

  // Keeps its package from being removed.
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

  // Sees to it that the package is unpacked. Cheap if it is.
  Task<void> ensure_unpacked(std::string digest);

  // A function that named the package no longer does.
  void release(const std::string& digest);
  // Packages released longer ago than kKeepReleased.
  [[nodiscard]] std::set<std::string> released() const;
  // Removes those of `digests` that nobody pins.
  void remove(const std::set<std::string>& digests);
  // At start: the digests of all packages that are there.
  [[nodiscard]] std::set<std::string> list() const;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] std::filesystem::path zip_path(std::string_view digest) const;

 private:
  Task<void> write_zip(std::string_view zip, std::filesystem::path path);
  Task<void> unpack_to_cache(std::filesystem::path zip, std::string digest);
  [[nodiscard]] std::filesystem::path fresh_path();

  const std::filesystem::path directory_;
  std::atomic<uint64_t> fresh_count_ = 0;
  mutable std::mutex mutex_;
  std::multiset<std::string> pinned_;
  std::set<std::string> unpacked_;               // known to be
  std::map<std::string, base::Time> released_;   // in the machine's time
};

}  // namespace tidemill::lambda

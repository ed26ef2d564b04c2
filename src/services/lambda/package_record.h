// What the store knows of a package: KeySpace::resource, (no account, no region, "lambda", "package", digest). It is there as
// long as a function or version names the package; each that does counts one, in the transaction that makes or erases
// it. So a package goes with the last that names it, and after a crash none is lost or left over.
//
// The digest is the SHA-256 of the zip, hexadecimal: equal packages are kept once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/blobs.h"
#include "store/store.h"

namespace tidemill::lambda {

struct PackageRecord {
  store::BlobId blob;  // the zip as it was uploaded
  int64_t bytes = 0;
  int64_t functions = 0;  // that name it, versions included
};

[[nodiscard]] std::string package_key(std::string_view digest);
// The digest; nothing: the key is none of a package.
[[nodiscard]] std::optional<std::string> parse_package_key(std::string_view key);

[[nodiscard]] std::string encode_package(const PackageRecord& record);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] PackageRecord decode_package(std::string_view bytes);

Task<std::optional<PackageRecord>> load_package(store::Snapshot& reader, std::string_view digest);

// One more function names it. False: there is no such package.
Task<bool> refer_to_package(store::Transaction& txn, std::string_view digest);

// What is to be cleared away once a transaction has committed.
struct DroppedPackages {
  std::set<std::string> digests;      // that one function fewer names
  std::vector<store::BlobId> blobs;  // of those that none names any more
};

// One function fewer.
Task<void> drop_package(store::Transaction& txn, std::string digest, DroppedPackages& dropped);

}  // namespace tidemill::lambda

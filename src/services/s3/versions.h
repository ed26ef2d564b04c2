// The versions of a key: which is the current one, and what putting and deleting do to the others. The rules are those of
// the S3 User Guide, "Retaining multiple versions of objects with S3 Versioning".
//
// All in the caller's transaction, which has read the bucket's record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "store/blobs.h"
#include "store/store.h"

namespace tidemill::s3 {

// Blobs that have lost their last reference: to be removed once the transaction has committed.
using Removals = std::vector<store::BlobId>;

// The current version if it is an object.
Task<std::optional<Object>> find_object(store::Snapshot& reader, const Bucket& bucket, std::string key);
// The current version, also if it is a delete marker; nothing: the key has none.
Task<std::optional<Object>> find_current(store::Snapshot& reader, const Bucket& bucket, std::string key);
// Throws InvalidArgument if `version` is no version id. Nothing: there is no such version.
Task<std::optional<Object>> find_version(store::Snapshot& reader, const Bucket& bucket, std::string key,
                                         std::string version);

// Makes `object` the key's current version: sets its sequence and version id.
Task<void> place_object(store::Transaction& txn, const Bucket& bucket, std::string key, Object& object,
                        Removals& removals);
// Changes what is told of a version, not its body.
void save_object(store::Transaction& txn, const Bucket& bucket, const std::string& key, const Object& object,
                 bool is_current);

struct Deleted {
  std::optional<Object> removed;  // what is gone for good
  std::optional<Object> marker;   // what was made
  uint64_t sequence = 0;          // of the deletion, among what happened to the key
};

// A request without a version id.
Task<Deleted> delete_current(store::Transaction& txn, const Bucket& bucket, std::string key, base::Time now,
                             Removals& removals);
// For good. Throws InvalidArgument if `version` is no version id.
Task<Deleted> delete_version(store::Transaction& txn, const Bucket& bucket, std::string key, std::string version,
                             Removals& removals);

// Drops all references of a body.
Task<void> drop_body(store::Transaction& txn, const Bucket& bucket, const Body& body, Removals& removals);
Task<void> drop_pieces(store::Transaction& txn, const Bucket& bucket, const std::vector<Piece>& pieces,
                       Removals& removals);

// The pieces of a body, and its parts.
Task<PieceList> load_pieces(store::Snapshot& reader, const Bucket& bucket, const Body& body);

}  // namespace tidemill::s3

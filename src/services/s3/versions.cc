#include "services/s3/versions.h"

#include <algorithm>

#include "base/ordered.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

// The newest of those that are not the current object.
Task<std::optional<Object>> newest_other(store::Snapshot& reader, const Bucket& bucket, const std::string& key) {
  std::optional<Object> found;
  co_await reader.scan(versions_of(bucket.id, key), store::first(1), [&](std::string_view, std::string_view value) {
    found = decode_object(value);
    return true;
  });
  co_return found;
}

Task<std::optional<Object>> get_other(store::Snapshot& reader, const Bucket& bucket, const std::string& key,
                                      uint64_t sequence) {
  const auto bytes = co_await reader.get(version_key(bucket.id, key, sequence));
  if (!bytes) co_return std::nullopt;
  co_return decode_object(*bytes);
}

Task<std::optional<Object>> other_null_version(store::Snapshot& reader, const Bucket& bucket, const std::string& key) {
  const auto sequence = co_await reader.get(null_version_key(bucket.id, key));
  if (!sequence) co_return std::nullopt;
  co_return co_await get_other(reader, bucket, key, base::OrderedReader(*sequence).u64());
}

void put_other(store::Transaction& txn, const Bucket& bucket, const std::string& key, const Object& object) {
  txn.put(version_key(bucket.id, key, object.sequence), encode_object(object));
  if (!object.is_null()) return;
  std::string sequence;
  base::append_u64(sequence, object.sequence);
  txn.put(null_version_key(bucket.id, key), sequence);
}

void erase_other(store::Transaction& txn, const Bucket& bucket, const std::string& key, const Object& object) {
  txn.erase(version_key(bucket.id, key, object.sequence));
  if (object.is_null()) txn.erase(null_version_key(bucket.id, key));
}

// The sequence of a new version. Versions of one key follow each other in commits of their own, unless one request
// deletes a key twice.
Task<uint64_t> next_sequence(store::Transaction& txn, const Bucket& bucket, const std::string& key,
                             const std::optional<Object>& current) {
  uint64_t newest = current ? current->sequence : 0;
  if (!current && bucket.versioning != Versioning::never) {
    if (const auto other = co_await newest_other(txn, bucket, key)) newest = other->sequence;
  }
  co_return std::max(txn.version().value, newest + 1);
}

// A key without a current object has a delete marker as its newest version, or none.
Task<void> replace_marker(store::Transaction& txn, const Bucket& bucket, const std::string& key, base::Time now) {
  auto marker = co_await newest_other(txn, bucket, key);
  if (!marker) co_return;
  marker->noncurrent_since = now;
  put_other(txn, bucket, key, *marker);
}

// Makes room for a new version beside the current object, as the bucket's versioning says. Returns what is gone.
Task<std::optional<Object>> make_room(store::Transaction& txn, const Bucket& bucket, const std::string& key,
                                      std::optional<Object> current, base::Time now, Removals& removals) {
  std::optional<Object> gone;
  const bool replaces_null = bucket.versioning != Versioning::enabled;
  if (replaces_null && current && current->is_null()) {
    co_await drop_body(txn, bucket, current->body, removals);
    gone = std::move(current);
  } else if (current) {
    current->noncurrent_since = now;
    put_other(txn, bucket, key, *current);
  } else if (bucket.versioning != Versioning::never) {
    co_await replace_marker(txn, bucket, key, now);
  }
  if (bucket.versioning != Versioning::suspended || gone) co_return gone;
  if (auto other = co_await other_null_version(txn, bucket, key)) {
    erase_other(txn, bucket, key, *other);
    co_await drop_body(txn, bucket, other->body, removals);
    gone = std::move(other);
  }
  co_return gone;
}

}  // namespace

Task<std::optional<Object>> find_object(store::Snapshot& reader, const Bucket& bucket, std::string key) {
  const auto bytes = co_await reader.get(object_key(bucket.id, key));
  if (!bytes) co_return std::nullopt;
  co_return decode_object(*bytes);
}

Task<std::optional<Object>> find_current(store::Snapshot& reader, const Bucket& bucket, std::string key) {
  auto object = co_await find_object(reader, bucket, key);
  if (object || bucket.versioning == Versioning::never) co_return object;
  co_return co_await newest_other(reader, bucket, key);
}

Task<std::optional<Object>> find_version(store::Snapshot& reader, const Bucket& bucket, std::string key,
                                         std::string version) {
  const auto current = co_await find_object(reader, bucket, key);
  if (current && current->version == version) co_return current;
  if (version == kNullVersion) co_return co_await other_null_version(reader, bucket, key);
  const auto sequence = sequence_of_version(version);
  if (!sequence || bucket.versioning == Versioning::never) {
    throw errors::invalid_argument("Invalid version id specified", "versionId", version);
  }
  auto found = co_await get_other(reader, bucket, key, *sequence);
  if (found && found->version != version) co_return std::nullopt;
  co_return found;
}

Task<void> place_object(store::Transaction& txn, const Bucket& bucket, std::string key, Object& object,
                        Removals& removals) {
  auto current = co_await find_object(txn, bucket, key);
  object.sequence = co_await next_sequence(txn, bucket, key, current);
  object.version = bucket.versioning == Versioning::enabled ? new_version_id(object.sequence) : std::string(kNullVersion);
  (void)co_await make_room(txn, bucket, key, std::move(current), object.modified, removals);
  txn.put(object_key(bucket.id, key), encode_object(object));
}

void save_object(store::Transaction& txn, const Bucket& bucket, const std::string& key, const Object& object,
                 bool is_current) {
  if (is_current)
    txn.put(object_key(bucket.id, key), encode_object(object));
  else
    put_other(txn, bucket, key, object);
}

Task<Deleted> delete_current(store::Transaction& txn, const Bucket& bucket, std::string key, base::Time now,
                             Removals& removals) {
  Deleted deleted;
  auto current = co_await find_object(txn, bucket, key);
  const bool had_object = current.has_value();
  const uint64_t sequence = co_await next_sequence(txn, bucket, key, current);
  deleted.sequence = sequence;
  deleted.removed = co_await make_room(txn, bucket, key, std::move(current), now, removals);
  if (had_object) txn.erase(object_key(bucket.id, key));
  if (bucket.versioning == Versioning::never) co_return deleted;
  Object marker{.sequence = sequence, .is_marker = true, .modified = now};
  if (bucket.versioning == Versioning::enabled) marker.version = new_version_id(sequence);
  put_other(txn, bucket, key, marker);
  deleted.marker = std::move(marker);
  co_return deleted;
}

Task<Deleted> delete_version(store::Transaction& txn, const Bucket& bucket, std::string key, std::string version,
                             Removals& removals) {
  Deleted deleted;
  auto object = co_await find_version(txn, bucket, key, version);
  if (!object) co_return deleted;
  const auto current = co_await find_object(txn, bucket, key);
  const bool is_current = current && current->sequence == object->sequence;
  if (is_current)
    txn.erase(object_key(bucket.id, key));
  else
    erase_other(txn, bucket, key, *object);
  co_await drop_body(txn, bucket, object->body, removals);
  // What was behind it may be the current one now.
  if (is_current || !current) {
    if (auto next = co_await newest_other(txn, bucket, key)) {
      if (!next->is_marker) erase_other(txn, bucket, key, *next);
      next->noncurrent_since.reset();
      save_object(txn, bucket, key, *next, !next->is_marker);
    }
  }
  deleted.sequence = std::max(txn.version().value, object->sequence + 1);
  deleted.removed = std::move(object);
  co_return deleted;
}

Task<void> drop_pieces(store::Transaction& txn, const Bucket& bucket, const std::vector<Piece>& pieces,
                       Removals& removals) {
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::stored) {
      txn.erase(stored_body_key(bucket.id, piece.id));
    } else if (co_await store::drop_blob(txn, {piece.id})) {
      removals.push_back({piece.id});
    }
  }
}

Task<void> drop_body(store::Transaction& txn, const Bucket& bucket, const Body& body, Removals& removals) {
  const PieceList list = co_await load_pieces(txn, bucket, body);
  co_await drop_pieces(txn, bucket, list.pieces, removals);
  if (!body.list.empty()) txn.erase(piece_list_key(bucket.id, body.list));
}

Task<PieceList> load_pieces(store::Snapshot& reader, const Bucket& bucket, const Body& body) {
  if (body.list.empty()) co_return PieceList{body.pieces, {}};
  const auto bytes = co_await reader.get(piece_list_key(bucket.id, body.list));
  if (!bytes) throw std::runtime_error("an object's list of pieces is missing");
  co_return decode_pieces(*bytes);
}

}  // namespace tidemill::s3

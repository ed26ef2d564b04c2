// Lists all versions and delete markers of a bucket's objects, newest first for each key.
//
// Current objects and all other versions stand in two places of the store: a page is merged of a page of each.
#include <limits>

#include "services/s3/bucket.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

struct Entry {
  std::string key;  // or common prefix
  std::optional<Object> object;  // nothing: a common prefix
  bool is_current = false;       // the current object
};

// Collects one more than a page.
class Half final : public ListingVisitor {
 public:
  Half(int limit, bool current) : limit_(limit), current_(current) {}

  bool entry(std::string_view key, std::string_view, std::string_view value) override {
    if (std::ssize(entries) > limit_) return false;
    entries.push_back({std::string(key), decode_object(value), current_});
    return true;
  }
  bool common_prefix(std::string_view prefix) override {
    if (std::ssize(entries) > limit_) return false;
    entries.push_back({std::string(prefix), std::nullopt, false});
    return true;
  }

  std::vector<Entry> entries;

 private:
  const int limit_;
  const bool current_;
};

// Both are in the order of their keys; of one key the current object comes first, and a common prefix only once.
std::vector<Entry> merge(std::vector<Entry> current, std::vector<Entry> others) {
  std::vector<Entry> merged;
  auto other = others.begin();
  for (Entry& entry : current) {
    while (other != others.end() && other->key < entry.key) merged.push_back(std::move(*other++));
    if (other != others.end() && other->key == entry.key && !entry.object) ++other;
    merged.push_back(std::move(entry));
  }
  while (other != others.end()) merged.push_back(std::move(*other++));
  return merged;
}

struct Marker {
  std::string key;
  std::string version;
};

// Where both halves begin.
struct Beginnings {
  std::string current;
  std::string others;
  bool is_amid_key = false;  // the marker's key has newer versions than those to come
};

// What was listed may have been deleted since: then what stood behind it may be the current object by now. Where a null
// version has stood that is gone cannot be told, so its key begins anew.
Task<Beginnings> beginnings_of(store::Snapshot& reader, const Bucket& bucket, const Marker& marker) {
  if (marker.key.empty()) co_return Beginnings{};
  Beginnings begin{object_key(bucket.id, marker.key), versions_of(bucket.id, marker.key).end};
  if (marker.version.empty()) {
    begin.current.push_back('\0');
    co_return begin;
  }
  const auto version = co_await find_version(reader, bucket, marker.key, marker.version);
  const auto sequence =
      version ? version->sequence : sequence_of_version(marker.version).value_or(std::numeric_limits<uint64_t>::max());
  const auto newest = co_await find_current(reader, bucket, marker.key);
  begin.is_amid_key = newest && newest->sequence >= sequence;
  if (begin.is_amid_key) begin.current.push_back('\0');
  begin.others = version_key(bucket.id, marker.key, sequence);
  begin.others.push_back('\0');
  co_return begin;
}

Task<std::vector<Entry>> collect(store::Snapshot& reader, const Bucket& bucket, const ListingRequest& request,
                                 const std::string& marker, const Beginnings& begin) {
  Half current(request.limit, true);
  co_await list_keys(
      reader, request, begin.current, marker,
      [&](std::string_view prefix) { return objects_with(bucket.id, prefix); },
      [](std::string_view store_key) { return std::string(key_of_object(store_key)); }, current);
  Half others(request.limit, false);
  co_await list_keys(
      reader, request, begin.others, marker,
      [&](std::string_view prefix) { return versions_with(bucket.id, prefix); },
      [](std::string_view store_key) { return place_of_version(store_key).key; }, others);
  co_return merge(std::move(current.entries), std::move(others.entries));
}

class Answer {
 public:
  Answer(shapes::ListObjectVersionsOutput& output, const Bucket& bucket, bool encoded)
      : output_(output), owner_(owner_of(bucket)), encoded_(encoded) {
    output_.versions.emplace();
    output_.delete_markers.emplace();
    output_.common_prefixes.emplace();
  }

  void add(const Entry& entry, bool is_latest) {
    const std::string key = shown_key(entry.key, encoded_);
    if (!entry.object) {
      output_.common_prefixes->push_back({.prefix = key});
      return;
    }
    const Object& object = *entry.object;
    if (object.is_marker) {
      output_.delete_markers->push_back({.owner = owner_, .key = key, .version_id = object.version,
                                         .is_latest = is_latest, .last_modified = object.modified});
      return;
    }
    shapes::ObjectVersion shown{.e_tag = shown_etag(object.etag)};
    if (object.checksum) {
      shown.checksum_algorithm = {std::string(name_of(object.checksum->algorithm))};
      shown.checksum_type = std::string(name_of(object.checksum->type));
    }
    shown.size = static_cast<int64_t>(object.size);
    shown.storage_class = "STANDARD";
    shown.key = key;
    shown.version_id = object.version;
    shown.is_latest = is_latest;
    shown.last_modified = object.modified;
    shown.owner = owner_;
    output_.versions->push_back(std::move(shown));
  }

 private:
  shapes::ListObjectVersionsOutput& output_;
  const shapes::Owner owner_;
  const bool encoded_;
};

}  // namespace

Task<shapes::ListObjectVersionsOutput> list_object_versions(Service& service, wire::Context&,
                                                            const shapes::ListObjectVersionsInput& request) {
  const int limit = page_limit(request.max_keys, "max-keys");
  const bool encoded = encodes_keys(request.encoding_type);
  const Marker marker{request.key_marker.value_or(""), request.version_id_marker.value_or("")};
  if (marker.key.empty() && !marker.version.empty()) {
    throw errors::invalid_argument("A version-id marker cannot be specified without a key marker.", "version-id-marker",
                                   marker.version);
  }
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  const ListingRequest listing{request.prefix.value_or(""), request.delimiter.value_or(""), limit};
  const Beginnings begin = co_await beginnings_of(*snapshot, bucket, marker);
  const std::vector<Entry> entries = co_await collect(*snapshot, bucket, listing, marker.key, begin);

  shapes::ListObjectVersionsOutput output;
  output.name = bucket.name;
  output.prefix = shown_key(listing.prefix, encoded);
  if (!listing.delimiter.empty()) output.delimiter = shown_key(listing.delimiter, encoded);
  output.max_keys = limit;
  output.key_marker = shown_key(marker.key, encoded);
  output.version_id_marker = marker.version;
  output.encoding_type = request.encoding_type;
  output.is_truncated = limit > 0 && std::ssize(entries) > limit;
  Answer answer(output, bucket, encoded);
  // The first of a key is its latest; the page may begin amid a key.
  std::string last_key = begin.is_amid_key ? marker.key : "";
  for (int i = 0; i < limit && i < std::ssize(entries); ++i) {
    const Entry& entry = entries[i];
    answer.add(entry, entry.is_current || entry.key != last_key);
    last_key = entry.key;
  }
  if (*output.is_truncated) {
    const Entry& last = entries[limit - 1];
    output.next_key_marker = shown_key(last.key, encoded);
    if (last.object) output.next_version_id_marker = last.object->version;
  }
  co_return output;
}

}  // namespace tidemill::s3

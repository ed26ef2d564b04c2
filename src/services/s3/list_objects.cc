// Lists a bucket's objects page by page, in both versions of the operation.
#include "base/base64.h"
#include "services/s3/bucket.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

// Collects a page.
class Page final : public ListingVisitor {
 public:
  Page(int limit, bool encoded, std::optional<shapes::Owner> owner)
      : limit_(limit), encoded_(encoded), owner_(std::move(owner)) {}

  bool entry(std::string_view key, std::string_view, std::string_view value) override {
    if (!has_room(key)) return false;
    const Object object = decode_object(value);
    shapes::Object shown{.key = shown_key(key, encoded_), .last_modified = object.modified, .e_tag = shown_etag(object.etag)};
    if (object.checksum) {
      shown.checksum_algorithm = {std::string(name_of(object.checksum->algorithm))};
      shown.checksum_type = std::string(name_of(object.checksum->type));
    }
    shown.size = static_cast<int64_t>(object.size);
    shown.storage_class = "STANDARD";
    shown.owner = owner_;
    contents.push_back(std::move(shown));
    return true;
  }

  bool common_prefix(std::string_view prefix) override {
    if (!has_room(prefix)) return false;
    prefixes.push_back({.prefix = shown_key(prefix, encoded_)});
    return true;
  }

  [[nodiscard]] int count() const { return static_cast<int>(contents.size() + prefixes.size()); }

  std::vector<shapes::Object> contents;
  std::vector<shapes::CommonPrefix> prefixes;
  std::string last;  // key or prefix
  bool truncated = false;

 private:
  bool has_room(std::string_view key) {
    if (count() == limit_) {
      truncated = limit_ > 0;
      return false;
    }
    last = key;
    return true;
  }

  const int limit_;
  const bool encoded_;
  const std::optional<shapes::Owner> owner_;
};

// The page behind the key or common prefix `after`.
Task<void> fill(store::Snapshot& reader, const Bucket& bucket, ListingRequest request, std::string after, Page& page) {
  std::string begin;
  if (!after.empty()) {
    begin = object_key(bucket.id, after);
    begin.push_back('\0');
  }
  co_await list_keys(
      reader, std::move(request), std::move(begin), std::move(after),
      [&](std::string_view prefix) { return objects_with(bucket.id, prefix); },
      [](std::string_view store_key) { return std::string(key_of_object(store_key)); }, page);
}

std::optional<std::string> echoed(const std::optional<std::string>& text, bool encoded) {
  if (!text) return std::nullopt;
  return shown_key(*text, encoded);
}

std::string after_token(const std::string& token) {
  auto key = base::base64_decode(token);
  if (!key || key->empty()) {
    throw errors::invalid_argument("The continuation token provided is incorrect", "continuation-token", token);
  }
  return *std::move(key);
}

// What both versions answer alike.
template <class Output, class Request>
Output show(const Request& request, const Bucket& bucket, Page& page, int limit, bool encoded) {
  Output output;
  output.name = bucket.name;
  output.prefix = shown_key(request.prefix.value_or(""), encoded);
  if (request.delimiter && !request.delimiter->empty()) output.delimiter = shown_key(*request.delimiter, encoded);
  output.max_keys = limit;
  output.is_truncated = page.truncated;
  output.encoding_type = request.encoding_type;
  output.contents = std::move(page.contents);
  output.common_prefixes = std::move(page.prefixes);
  return output;
}

}  // namespace

Task<shapes::ListObjectsOutput> list_objects(Service& service, wire::Context&, const shapes::ListObjectsInput& request) {
  const int limit = page_limit(request.max_keys, "max-keys");
  const bool encoded = encodes_keys(request.encoding_type);
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  Page page(limit, encoded, owner_of(bucket));
  co_await fill(*snapshot, bucket, {request.prefix.value_or(""), request.delimiter.value_or(""), limit},
                request.marker.value_or(""), page);
  auto output = show<shapes::ListObjectsOutput>(request, bucket, page, limit, encoded);
  output.marker = shown_key(request.marker.value_or(""), encoded);
  if (page.truncated && output.delimiter) output.next_marker = shown_key(page.last, encoded);
  co_return output;
}

Task<shapes::ListObjectsV2Output> list_objects_v2(Service& service, wire::Context&,
                                                  const shapes::ListObjectsV2Input& request) {
  const int limit = page_limit(request.max_keys, "max-keys");
  const bool encoded = encodes_keys(request.encoding_type);
  const std::string after =
      request.continuation_token ? after_token(*request.continuation_token) : request.start_after.value_or("");
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  std::optional<shapes::Owner> owner;
  if (request.fetch_owner.value_or(false)) owner = owner_of(bucket);
  Page page(limit, encoded, owner);
  co_await fill(*snapshot, bucket, {request.prefix.value_or(""), request.delimiter.value_or(""), limit}, after, page);
  const int count = page.count();
  auto output = show<shapes::ListObjectsV2Output>(request, bucket, page, limit, encoded);
  output.key_count = count;
  output.continuation_token = request.continuation_token;
  if (!request.continuation_token) output.start_after = echoed(request.start_after, encoded);
  output.bucket_region = bucket.region;
  if (page.truncated) output.next_continuation_token = base::base64_encode(page.last);
  co_return output;
}

}  // namespace tidemill::s3

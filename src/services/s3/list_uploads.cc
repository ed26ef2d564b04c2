// Lists uploads that are under way, and the parts of one.
#include "base/hex.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {
namespace {

class Page final : public ListingVisitor {
 public:
  Page(int limit, bool encoded, std::string owner) : limit_(limit), encoded_(encoded), owner_(std::move(owner)) {}

  bool entry(std::string_view key, std::string_view, std::string_view value) override {
    if (!has_room()) return false;
    const Upload upload = decode_upload(value);
    shapes::MultipartUpload shown{.upload_id = upload.id, .key = shown_key(key, encoded_), .initiated = upload.initiated};
    shown.storage_class = "STANDARD";
    shown.owner = shapes::Owner{.id = owner_};
    shown.initiator = shapes::Initiator{.id = owner_};
    if (upload.asked_for_checksum) {
      shown.checksum_algorithm = std::string(name_of(upload.algorithm));
      shown.checksum_type = std::string(name_of(upload.type));
    }
    uploads.push_back(std::move(shown));
    last_key = key;
    last_upload = upload.id;
    return true;
  }

  bool common_prefix(std::string_view prefix) override {
    if (!has_room()) return false;
    prefixes.push_back({.prefix = shown_key(prefix, encoded_)});
    last_key = prefix;
    last_upload.clear();
    return true;
  }

  std::vector<shapes::MultipartUpload> uploads;
  std::vector<shapes::CommonPrefix> prefixes;
  std::string last_key;
  std::string last_upload;
  bool truncated = false;

 private:
  bool has_room() {
    if (std::ssize(uploads) + std::ssize(prefixes) < limit_) return true;
    truncated = limit_ > 0;
    return false;
  }

  const int limit_;
  const bool encoded_;
  const std::string owner_;
};

// Behind the marker: of a key alone behind all its uploads, with an upload's id behind that one.
std::string beginning(const Bucket& bucket, const shapes::ListMultipartUploadsInput& request) {
  const std::string key = request.key_marker.value_or("");
  if (key.empty()) return {};
  const std::string upload = request.upload_id_marker.value_or("");
  if (upload.empty()) return uploads_of(bucket.id, key).end;
  return upload_key(bucket.id, key, upload) + '\0';
}

shapes::Part show(const Part& part, const Upload& upload) {
  shapes::Part shown{.part_number = part.number,
                     .last_modified = part.modified,
                     .e_tag = shown_etag(base::hex_of(part.md5)),
                     .size = static_cast<int64_t>(part.size)};
  if (upload.asked_for_checksum) show_checksum_bytes(shown, upload.algorithm, part.checksum);
  return shown;
}

}  // namespace

Task<shapes::ListMultipartUploadsOutput> list_multipart_uploads(Service& service, wire::Context&,
                                                                const shapes::ListMultipartUploadsInput& request) {
  const int limit = page_limit(request.max_uploads, "max-uploads");
  const bool encoded = encodes_keys(request.encoding_type);
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  Page page(limit, encoded, canonical_id(bucket.account));
  co_await list_keys(
      *snapshot, {request.prefix.value_or(""), request.delimiter.value_or(""), limit}, beginning(bucket, request),
      request.key_marker.value_or(""), [&](std::string_view prefix) { return uploads_with(bucket.id, prefix); },
      [](std::string_view store_key) { return place_of_upload(store_key).key; }, page);

  shapes::ListMultipartUploadsOutput output;
  output.bucket = bucket.name;
  output.key_marker = shown_key(request.key_marker.value_or(""), encoded);
  output.upload_id_marker = request.upload_id_marker.value_or("");
  output.prefix = shown_key(request.prefix.value_or(""), encoded);
  if (request.delimiter && !request.delimiter->empty()) output.delimiter = shown_key(*request.delimiter, encoded);
  output.max_uploads = limit;
  output.is_truncated = page.truncated;
  output.encoding_type = request.encoding_type;
  // Also where nothing follows, as on AWS.
  output.next_key_marker = shown_key(page.last_key, encoded);
  output.next_upload_id_marker = page.last_upload;
  output.uploads = std::move(page.uploads);
  output.common_prefixes = std::move(page.prefixes);
  co_return output;
}

Task<shapes::ListPartsOutput> list_parts(Service& service, wire::Context&, const shapes::ListPartsInput& request) {
  const int limit = page_limit(request.max_parts, "max-parts");
  const int after = request.part_number_marker.value_or(0);
  const auto snapshot = service.store().snapshot();
  const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
  const Upload upload = co_await require_upload(*snapshot, bucket, request.key, request.upload_id);

  shapes::ListPartsOutput output;
  output.parts.emplace();
  output.is_truncated = false;
  store::Range range = parts_of(bucket.id, upload.id);
  if (after >= 0) range.begin = part_key(bucket.id, upload.id, after + 1);
  co_await snapshot->scan(range, store::first(static_cast<size_t>(limit) + 1), [&](std::string_view, std::string_view value) {
    if (std::ssize(*output.parts) == limit) {
      output.is_truncated = limit > 0;
      return false;
    }
    output.parts->push_back(show(decode_part(value), upload));
    return true;
  });
  output.bucket = bucket.name;
  output.key = request.key;
  output.upload_id = upload.id;
  output.part_number_marker = after;
  output.max_parts = limit;
  // Truncated or not, as on AWS, which says 0 where there are none; with that the SDK for JavaScript would ask for ever.
  if (!output.parts->empty()) output.next_part_number_marker = *output.parts->back().part_number;
  output.initiator = shapes::Initiator{.id = canonical_id(bucket.account), .display_name = bucket.account};
  output.owner = owner_of(bucket);
  output.storage_class = "STANDARD";
  if (upload.asked_for_checksum) {
    output.checksum_algorithm = std::string(name_of(upload.algorithm));
    output.checksum_type = std::string(name_of(upload.type));
  }
  if (const auto abort = abort_of(bucket, request.key, upload)) {
    output.abort_date = abort->time;
    output.abort_rule_id = abort->rule;
  }
  co_return output;
}

}  // namespace tidemill::s3

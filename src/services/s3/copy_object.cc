// Copies an object, or changes what is told of one by copying it onto itself.
#include "base/hex.h"
#include "base/text.h"
#include "services/s3/acl.h"
#include "services/s3/body_intake.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/copying.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/notifications.h"
#include "services/s3/operations.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::s3 {
namespace {

using Request = shapes::CopyObjectInput;

// A directive's value: COPY by default. Throws InvalidArgument for what is neither that nor REPLACE.
bool replaces(const std::optional<std::string>& directive, std::string_view header) {
  if (!directive || *directive == "COPY") return false;
  if (*directive == "REPLACE") return true;
  throw errors::invalid_argument(header == "x-amz-tagging-directive" ? "Unknown tagging directive."
                                                                     : "Unknown metadata directive.",
                                 header, *directive);
}

Description describe_copy(const Request& request, const Object& source, base::Time now) {
  const bool replaces_metadata = replaces(request.metadata_directive, "x-amz-metadata-directive");
  const bool replaces_tags = replaces(request.tagging_directive, "x-amz-tagging-directive");
  const Description asked = describe_object(request, now);
  Description description = source.description;
  drop_lock(description.system);
  description.system.erase(kRedirectLocation);
  if (replaces_metadata) {
    description.system = asked.system;
    description.user = asked.user;
  }
  if (replaces_tags) description.tags = asked.tags;
  // These are the copy's own, whatever becomes of the rest.
  for (const char* name : {kLockMode, kLockUntil, kLegalHold, kRedirectLocation}) {
    if (const auto own = asked.system.find(name); own != asked.system.end()) description.system.insert(*own);
  }
  return description;
}

void refuse_copy_onto_itself(const Request& request, const ObjectRequest& source) {
  const bool same = source.bucket == request.bucket && source.key == request.key && !source.version;
  if (!same || replaces(request.metadata_directive, "x-amz-metadata-directive")) return;
  // Whoever names a class counts as changing it, be it the one that it has; so does whoever sets conditions.
  if (request.storage_class || request.website_redirect_location || request.if_match || request.if_none_match) return;
  throw errors::invalid_request(
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's "
      "metadata, storage class, website redirect location or encryption attributes.");
}

std::optional<Algorithm> asked_algorithm(const Request& request) {
  if (!request.checksum_algorithm) return std::nullopt;
  const auto algorithm = algorithm_of(*request.checksum_algorithm);
  if (!algorithm) throw errors::invalid_request("Value for x-amz-checksum-algorithm header is invalid.");
  return algorithm;
}

// ETag and checksum of the copy: those of the source unless it was made of parts, or another checksum is asked for.
Task<void> sum_up(Service& service, const OpenObject& open, std::optional<Algorithm> asked, Object& copy) {
  const Object& source = open.object;
  const Algorithm algorithm = asked.value_or(source.checksum ? source.checksum->algorithm : kAlgorithmDefault);
  if (source.parts == 0 && source.checksum && source.checksum->algorithm == algorithm) {
    copy.etag = source.etag;
    copy.checksum = source.checksum;
    co_return;
  }
  const CopiedSums sums = co_await sum_pieces(service.blobs(), open, open.list.pieces, algorithm);
  copy.etag = base::hex_of(sums.md5);
  copy.checksum = Checksum{.algorithm = algorithm, .bytes = sums.checksum};
}

// Tags that come along are read there and put here, which only now is known to happen.
Task<void> require_rights_of_tags(const wire::Context& context, const Request& request, const ObjectRequest& source) {
  wire::Deed reading{"s3:GetObjectTagging", base::cat(bucket_arn(source.bucket), "/", source.key)};
  if (source.version) {
    reading.action = "s3:GetObjectVersionTagging";
    reading.facts.emplace_back("s3:VersionId", *source.version);
  }
  wire::Deed putting{"s3:PutObjectTagging", base::cat(bucket_arn(request.bucket), "/", request.key)};
  try {
    co_await wire::authorize_deed(context, std::move(reading));
    co_await wire::authorize_deed(context, std::move(putting));
  } catch (const wire::Error& error) {
    if (error.code != "AccessDeniedException") throw;
    throw errors::error("AccessDenied", 403, error.what());
  }
}

struct Outcome {
  Bucket bucket;
  Object object;
};

// Nothing: the source has changed since it was opened.
Task<std::optional<Outcome>> place_copy(Service& service, const wire::Context& context, const Request& request,
                                        const ObjectRequest& source, const OpenObject& open, Object copy) {
  co_return co_await change_bodies(
      service.store(), service.blobs(),
      [&](store::Transaction& txn, Removals& removals) -> Task<std::optional<Outcome>> {
        Outcome outcome{co_await require_bucket(txn, request.bucket, request.expected_bucket_owner), copy};
        const Bucket& bucket = outcome.bucket;
        Object& object = outcome.object;
        if (request.if_match || request.if_none_match) {
          const auto current = co_await find_current(txn, bucket, request.key);
          check_write(current ? &*current : nullptr, request.key, request.if_match, request.if_none_match);
        }
        take_acl(bucket, context.account, acl_headers_of(request), object.description.system);
        lock_as_bucket_says(bucket, object.modified, object.description.system);
        auto pieces = co_await share_pieces(txn, open, source, bucket, open.list.pieces);
        if (!pieces) co_return std::nullopt;
        if (pieces->size() > 1) {
          object.body.list = random_id();
          txn.put(piece_list_key(bucket.id, object.body.list), encode_pieces({*std::move(pieces), {}}));
        } else {
          object.body.pieces = *std::move(pieces);
        }
        co_await place_object(txn, bucket, request.key, object, removals);
        co_await announce(txn, context, bucket, created_event("ObjectCreated:Copy", request.key, object));
        co_return outcome;
      });
}

shapes::CopyObjectOutput show(const Request& request, const Outcome& outcome, const OpenObject& open) {
  shapes::CopyObjectOutput output;
  auto& result = output.copy_object_result.emplace();
  result.e_tag = shown_etag(outcome.object.etag);
  result.last_modified = outcome.object.modified;
  show_checksum(result, *outcome.object.checksum);
  output.server_side_encryption = kEncryption;
  output.version_id = shown_version(outcome.bucket, outcome.object);
  if (!open.object.is_null()) output.copy_source_version_id = shown_version(open.bucket, open.object);
  output.expiration = expiration_header(outcome.bucket, request.key, outcome.object);
  return output;
}

}  // namespace

Task<shapes::CopyObjectOutput> copy_object(Service& service, wire::Context& context, const Request& request) {
  check_key(request.key);
  const ObjectRequest source = parse_copy_source(request.copy_source, request.expected_source_bucket_owner);
  if (request.storage_class && *request.storage_class != "STANDARD") {
    throw errors::not_implemented("the header x-amz-storage-class with other values than STANDARD");
  }
  refuse_copy_onto_itself(request, source);
  const auto algorithm = asked_algorithm(request);
  for (;;) {
    const OpenObject open = co_await open_object(service.store(), service.blobs(), source);
    check_copy_source(open.object,
                      {request.copy_source_if_match, request.copy_source_if_none_match,
                       request.copy_source_if_modified_since, request.copy_source_if_unmodified_since},
                      context.now());
    if (open.object.size > kCopySourceBytesMax) {
      throw errors::invalid_request(
          "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120");
    }
    Object copy;
    copy.modified = context.now();
    copy.size = open.object.size;
    copy.description = describe_copy(request, open.object, context.now());
    if (!copy.description.tags.empty() && !replaces(request.tagging_directive, "x-amz-tagging-directive")) {
      co_await require_rights_of_tags(context, request, source);
    }
    co_await sum_up(service, open, algorithm, copy);
    const auto outcome = co_await place_copy(service, context, request, source, open, std::move(copy));
    if (outcome) co_return show(request, *outcome, open);
  }
}

}  // namespace tidemill::s3

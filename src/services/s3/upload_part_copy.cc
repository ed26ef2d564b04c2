// Makes a part of an upload of an object or a range of one.
#include "base/hex.h"
#include "services/s3/body_intake.h"
#include "services/s3/body_output.h"
#include "services/s3/copying.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {
namespace {

using Request = shapes::UploadPartCopyInput;

// Nothing: the source has changed since it was opened.
Task<bool> save_copy(Service& service, const Request& request, const ObjectRequest& source, const OpenObject& open,
                     Part part) {
  co_return co_await change_bodies(
      service.store(), service.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<bool> {
        const Bucket bucket = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
        (void)co_await require_upload(txn, bucket, request.key, request.upload_id);
        auto pieces = co_await share_pieces(txn, open, source, bucket, part.pieces);
        if (!pieces) co_return false;
        Part shared = part;
        shared.pieces = *std::move(pieces);
        co_await save_part(txn, bucket, request.upload_id, shared, removals);
        co_return true;
      });
}

}  // namespace

Task<shapes::UploadPartCopyOutput> upload_part_copy(Service& service, wire::Context& context, const Request& request) {
  check_part_number(request.part_number);
  const ObjectRequest source = parse_copy_source(request.copy_source, request.expected_source_bucket_owner);
  Upload upload;
  {
    const auto snapshot = service.store().snapshot();
    const Bucket bucket = co_await require_bucket(*snapshot, request.bucket, request.expected_bucket_owner);
    upload = co_await require_upload(*snapshot, bucket, request.key, request.upload_id);
  }
  for (;;) {
    const OpenObject open = co_await open_object(service.store(), service.blobs(), source);
    check_copy_source(open.object,
                      {request.copy_source_if_match, request.copy_source_if_none_match,
                       request.copy_source_if_modified_since, request.copy_source_if_unmodified_since},
                      context.now());
    const ByteRange range = request.copy_source_range ? parse_copy_range(*request.copy_source_range, open.object.size)
                                                      : ByteRange{0, open.object.size};
    if (range.size > kBodyBytesMax) throw errors::entity_too_large(range.size, kBodyBytesMax);
    Part part{.number = request.part_number, .modified = context.now(), .size = range.size};
    part.pieces = slice(open.list.pieces, range);
    CopiedSums sums = co_await sum_pieces(service.blobs(), open, part.pieces, upload.algorithm);
    part.md5 = std::move(sums.md5);
    part.checksum = std::move(sums.checksum);
    if (!co_await save_copy(service, request, source, open, part)) continue;

    shapes::UploadPartCopyOutput output;
    auto& result = output.copy_part_result.emplace();
    result.e_tag = shown_etag(base::hex_of(part.md5));
    result.last_modified = part.modified;
    if (upload.asked_for_checksum) show_checksum_bytes(result, upload.algorithm, part.checksum);
    if (!open.object.is_null()) output.copy_source_version_id = shown_version(open.bucket, open.object);
    output.server_side_encryption = kEncryption;
    co_return output;
  }
}

}  // namespace tidemill::s3

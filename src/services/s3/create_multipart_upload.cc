// Begins an upload in parts.
#include <array>

#include "base/text.h"
#include "services/s3/acl.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/describing.h"
#include "services/s3/encryption.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

// S3 User Guide, "Checking object integrity": which algorithms make which types of checksums.
void choose_checksum(Upload& upload, const std::optional<std::string>& algorithm_name,
                     const std::optional<std::string>& type_name) {
  if (!algorithm_name) {
    if (type_name) {
      throw errors::invalid_request(
          "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
    }
    return;
  }
  const auto algorithm = algorithm_of(*algorithm_name);
  if (!algorithm) {
    throw errors::invalid_request(
        "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, "
        "CRC64NVME, SHA1, SHA256]");
  }
  upload.asked_for_checksum = true;
  upload.algorithm = *algorithm;
  upload.type = *algorithm == Algorithm::crc64nvme ? ChecksumType::full_object : ChecksumType::composite;
  if (!type_name) return;
  const bool full = *type_name == name_of(ChecksumType::full_object);
  if (!full && *type_name != name_of(ChecksumType::composite)) {
    throw errors::invalid_request("Value for x-amz-checksum-type header is invalid.");
  }
  if (full ? !is_cyclic(*algorithm) : *algorithm == Algorithm::crc64nvme) {
    throw errors::invalid_request(base::cat("The ", *type_name, " checksum type cannot be used with the ",
                                            lower(name_of(*algorithm)), " checksum algorithm."));
  }
  upload.type = full ? ChecksumType::full_object : ChecksumType::composite;
}

void keep_headers_of_parts(const shapes::CreateMultipartUploadInput& request, TextMap& description) {
  const std::array given{&request.acl, &request.server_side_encryption, &request.ssekms_key_id};
  static_assert(given.size() == kHeadersOfParts.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (*given[i]) description.emplace(kHeadersOfParts[i], **given[i]);
  }
}

}  // namespace

Task<shapes::CreateMultipartUploadOutput> create_multipart_upload(Service& service, wire::Context& context,
                                                                  const shapes::CreateMultipartUploadInput& request) {
  check_key(request.key);
  Upload upload{.id = new_upload_id(context.now()), .initiated = context.now()};
  upload.description = describe_object(request, context.now());
  keep_headers_of_parts(request, upload.description.system);
  choose_checksum(upload, request.checksum_algorithm, request.checksum_type);

  const Bucket bucket = co_await service.store().transact([&](store::Transaction& txn) -> Task<Bucket> {
    Bucket found = co_await require_bucket(txn, request.bucket, request.expected_bucket_owner);
    check_encryption(found, request.server_side_encryption, request.ssekms_key_id);
    check_lockable(found, upload.description.system);
    take_acl(found, context.account, acl_headers_of(request), upload.description.system);
    const auto current = co_await find_object(txn, found, request.key);
    upload.found_etag = current ? current->etag : "";
    txn.put(upload_key(found.id, request.key, upload.id), encode_upload(upload));
    co_return found;
  });

  shapes::CreateMultipartUploadOutput output;
  output.bucket = request.bucket;
  output.key = request.key;
  output.upload_id = upload.id;
  output.server_side_encryption = kEncryption;
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

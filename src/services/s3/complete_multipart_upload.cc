// Makes an object of the parts of an upload, without touching their bytes.
#include <algorithm>
#include <charconv>
#include <set>

#include "base/base64.h"
#include "base/hex.h"
#include "base/text.h"
#include "services/s3/body_intake.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/conditions.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/listing.h"
#include "services/s3/notifications.h"
#include "services/s3/operations.h"
#include "services/s3/uploads.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

using Request = shapes::CompleteMultipartUploadInput;

template <class Shape>
std::optional<std::string> given_checksum(const Shape& part, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::crc32: return part.checksum_crc32;
    case Algorithm::crc32c: return part.checksum_crc32_c;
    case Algorithm::crc64nvme: return part.checksum_crc64_nvme;
    case Algorithm::sha1: return part.checksum_sha1;
    case Algorithm::sha256: return part.checksum_sha256;
  }
  return std::nullopt;
}

wire::Error invalid_part(const Request& request, const shapes::CompletedPart& part) {
  return errors::error("InvalidPart", 400,
                       "One or more of the specified parts could not be found.  The part may not have been uploaded, or "
                       "the specified entity tag may not match the part's entity tag.",
                       {{"UploadId", request.upload_id},
                        {"PartNumber", std::to_string(part.part_number.value_or(0))},
                        {"ETag", std::string(bare_etag(part.e_tag.value_or("")))}});
}

wire::Error too_small(const Part& part) {
  return errors::error("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size",
                       {{"ProposedSize", std::to_string(part.size)},
                        {"MinSizeAllowed", std::to_string(kPartBytesMin)},
                        {"PartNumber", std::to_string(part.number)},
                        {"ETag", base::hex_of(part.md5)}});
}

const std::vector<shapes::CompletedPart>& named_parts(const Request& request) {
  if (!request.multipart_upload) throw errors::malformed_xml();
  if (!request.multipart_upload->parts || request.multipart_upload->parts->empty()) {
    throw errors::invalid_request("You must specify at least one part");
  }
  const auto& parts = *request.multipart_upload->parts;
  int last = 0;
  for (const auto& part : parts) {
    if (!part.part_number || !part.e_tag) throw errors::malformed_xml();
    if (*part.part_number <= last) {
      throw errors::error("InvalidPartOrder", 400,
                          "The list of parts was not in ascending order. Parts must be ordered by part number.",
                          {{"UploadId", request.upload_id}});
    }
    last = *part.part_number;
  }
  return parts;
}

bool names_any_checksum(const shapes::CompletedPart& part) {
  return std::ranges::any_of(wire::kAlgorithms,
                             [&](Algorithm algorithm) { return given_checksum(part, algorithm).has_value(); });
}

void check_part_checksum(const Request& request, const Upload& upload, const shapes::CompletedPart& named,
                         const Part& part) {
  // Of an upload that was begun without one, no other checksum is known than that which S3 computes itself.
  const bool is_unknown =
      !upload.asked_for_checksum && names_any_checksum(named) && !given_checksum(named, upload.algorithm);
  if (is_unknown) throw invalid_part(request, named);
  const auto given = given_checksum(named, upload.algorithm);
  if (given && *given != base::base64_encode(part.checksum)) throw invalid_part(request, named);
  if (given || !upload.asked_for_checksum || upload.type != ChecksumType::composite) return;
  throw errors::invalid_request(base::cat("The upload was created using a ", lower(name_of(upload.algorithm)),
                                          " checksum. The complete request must include the checksum for each part. It "
                                          "was missing for part ",
                                          part.number, " in the request."));
}

// The parts that the request names, in their order. Throws InvalidPart, EntityTooSmall.
std::vector<Part> choose_parts(const Request& request, const Upload& upload, const std::map<int, Part>& uploaded) {
  std::vector<Part> chosen;
  for (const auto& named : named_parts(request)) {
    const auto found = uploaded.find(*named.part_number);
    if (found == uploaded.end() || base::hex_of(found->second.md5) != bare_etag(*named.e_tag)) throw invalid_part(request, named);
    check_part_checksum(request, upload, named, found->second);
    chosen.push_back(found->second);
  }
  for (size_t i = 0; i + 1 < chosen.size(); ++i) {
    if (chosen[i].size < kPartBytesMin) throw too_small(chosen[i]);
  }
  return chosen;
}

// What the object is, and where its bytes lie.
struct Assembled {
  Object object;
  PieceList list;
};

Assembled assemble(const Upload& upload, const std::vector<Part>& parts, base::Time now) {
  Assembled result;
  Object& object = result.object;
  const auto md5 = make_md5();
  PartSums sums(upload.algorithm, upload.type);
  for (const Part& part : parts) {
    md5->add(part.md5);
    sums.add({part.checksum, part.size});
    object.size += part.size;
    result.list.parts.push_back({part.number, part.size, part.checksum});
    result.list.pieces.insert(result.list.pieces.end(), part.pieces.begin(), part.pieces.end());
  }
  object.modified = now;
  object.etag = base::cat(base::hex_of(md5->finish()), "-", parts.size());
  object.checksum = sums.finish();
  object.parts = static_cast<int>(parts.size());
  object.description = upload.description;
  for (const std::string_view header : kHeadersOfParts) object.description.system.erase(std::string(header));
  object.body.list = random_id();
  object.upload = upload.id;
  return result;
}

// What the request says of the whole.
void check_claims(const Request& request, const Upload& upload, const Object& object) {
  if (const auto given = given_checksum(request, upload.algorithm)) {
    // A composite one may come with the number of its parts.
    std::string_view bare = *given;
    bare = bare.substr(0, bare.find('-'));
    if (bare != base::base64_encode(object.checksum->bytes)) {
      throw errors::error("BadDigest", 400,
                          base::cat("The ", name_of(upload.algorithm),
                                    " you specified did not match the calculated checksum."));
    }
  }
  const std::string_view type = upload.asked_for_checksum ? name_of(upload.type) : "null";
  if (request.checksum_type && *request.checksum_type != type) {
    throw errors::invalid_request(base::cat("The upload was created using the ", type,
                                            " checksum mode. The complete request must use the same checksum mode."));
  }
  if (request.mpu_object_size && static_cast<uint64_t>(*request.mpu_object_size) != object.size) {
    throw errors::invalid_request(base::cat("The provided 'x-amz-mp-object-size' header value ", *request.mpu_object_size,
                                            " does not match what was computed: ", object.size));
  }
  if (object.size > kObjectBytesMax) throw errors::entity_too_large(object.size, kObjectBytesMax);
}

// Forgets the upload; what its chosen parts refer to is the object's now.
Task<void> end_upload(store::Transaction& txn, const Bucket& bucket, const Request& request,
                      const std::map<int, Part>& uploaded, const std::vector<Part>& chosen, Removals& removals) {
  std::set<int> taken;
  for (const Part& part : chosen) taken.insert(part.number);
  for (const auto& [number, part] : uploaded) {
    if (!taken.contains(number)) co_await drop_pieces(txn, bucket, part.pieces, removals);
    txn.erase(part_key(bucket.id, request.upload_id, number));
  }
  txn.erase(upload_key(bucket.id, request.key, request.upload_id));
}

struct Outcome {
  Bucket bucket;
  Object object;
};

// The object that the upload has become, if it is still there.
Task<std::optional<Object>> made_by(store::Snapshot& reader, const Bucket& bucket, const Request& request) {
  auto current = co_await find_object(reader, bucket, request.key);
  if (current && current->upload == request.upload_id) co_return current;
  std::optional<Object> found;
  co_await reader.scan(versions_of(bucket.id, request.key), store::Direction::forward,
                       [&](std::string_view, std::string_view value) {
                         Object object = decode_object(value);
                         if (object.upload == request.upload_id) found = std::move(object);
                         return !found;
                       });
  co_return found;
}

// A request that is repeated, since its answer was lost say, is answered as it was: if it names the same parts.
Task<Object> completed_before(store::Snapshot& reader, const Bucket& bucket, const Request& request) {
  auto object = co_await made_by(reader, bucket, request);
  if (!object) throw errors::no_such_upload(request.upload_id);
  const auto& parts = named_parts(request);
  const auto md5 = make_md5();
  for (const auto& part : parts) {
    const auto bytes = base::bytes_of_hex(bare_etag(*part.e_tag));
    if (!bytes) throw invalid_part(request, part);
    md5->add(*bytes);
  }
  if (object->etag != base::cat(base::hex_of(md5->finish()), "-", parts.size())) throw invalid_part(request, parts.back());
  co_return *std::move(object);
}

}  // namespace

Task<shapes::CompleteMultipartUploadOutput> complete_multipart_upload(Service& service, wire::Context& context,
                                                                      const Request& request) {
  const auto complete = [&](store::Transaction& txn, Removals& removals) -> Task<Outcome> {
    Outcome outcome{co_await require_bucket(txn, request.bucket, request.expected_bucket_owner), {}};
    const Bucket& bucket = outcome.bucket;
    const auto found = co_await find_upload(txn, bucket, request.key, request.upload_id);
    if (!found) {
      outcome.object = co_await completed_before(txn, bucket, request);
      co_return outcome;
    }
    const Upload& upload = *found;
    const auto uploaded = co_await load_parts(txn, bucket, request.upload_id);
    const std::vector<Part> chosen = choose_parts(request, upload, uploaded);
    Assembled assembled = assemble(upload, chosen, context.now());
    check_claims(request, upload, assembled.object);
    if (request.if_match || request.if_none_match) {
      const auto current = co_await find_current(txn, bucket, request.key);
      check_completion(current ? &*current : nullptr, request.key, upload, request.if_match, request.if_none_match);
    }
    lock_as_bucket_says(bucket, context.now(), assembled.object.description.system);
    co_await end_upload(txn, bucket, request, uploaded, chosen, removals);
    co_await place_object(txn, bucket, request.key, assembled.object, removals);
    txn.put(piece_list_key(bucket.id, assembled.object.body.list), encode_pieces(assembled.list));
    co_await announce(txn, context, bucket,
                      created_event("ObjectCreated:CompleteMultipartUpload", request.key, assembled.object));
    outcome.object = std::move(assembled.object);
    co_return outcome;
  };
  const Outcome outcome = co_await change_bodies(service.store(), service.blobs(), complete);

  shapes::CompleteMultipartUploadOutput output;
  output.location = base::cat(context.endpoint, "/", request.bucket, "/", encode_key(request.key));
  output.bucket = request.bucket;
  output.key = request.key;
  output.e_tag = shown_etag(outcome.object.etag);
  show_checksum(output, *outcome.object.checksum);
  output.server_side_encryption = kEncryption;
  output.version_id = shown_version(outcome.bucket, outcome.object);
  output.expiration = expiration_header(outcome.bucket, request.key, outcome.object);
  co_return output;
}

}  // namespace tidemill::s3

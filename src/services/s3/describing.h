// What requests say of an object beside its bytes, and what answers say: descriptions, checksums, ETags, versions, access
// control lists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "services/s3/object_lock.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr const char* kRedirectLocation = "x-amz-website-redirect-location";
inline constexpr size_t kKeyBytesMax = 1024;
inline constexpr size_t kUserMetadataBytesMax = 2048;
inline constexpr std::string_view kContentTypeDefault = "binary/octet-stream";
inline constexpr std::string_view kEncryption = "AES256";  // what S3 does by default, and all that answers say of it

// Throws KeyTooLongError.
void check_key(std::string_view key);
// Throws MetadataTooLarge.
void check_metadata(const TextMap& metadata);
// Text of metadata as it is kept, and as headers carry it (encoded_words.h).
[[nodiscard]] TextMap kept_metadata(TextMap metadata);
[[nodiscard]] TextMap shown_metadata(TextMap metadata);

// The headers that are kept of an object. Throws MetadataTooLarge and what check_tags throws.
template <class Request>
Description describe_request(const Request& request);
// The same with what locks the object. Throws what take_lock_headers throws, too.
template <class Request>
Description describe_object(const Request& request, base::Time now) {
  Description description = describe_request(request);
  take_lock_headers(
      {request.object_lock_mode, request.object_lock_retain_until_date, request.object_lock_legal_hold_status}, now,
      description.system);
  return description;
}

[[nodiscard]] std::string shown_etag(std::string_view etag);
// Bare of its quotes.
[[nodiscard]] std::string_view bare_etag(std::string_view etag);

// Sets the member of the checksum's algorithm.
template <class Shape>
void show_checksum(Shape& shape, const Checksum& checksum);
template <class Shape>
void show_checksum_bytes(Shape& shape, Algorithm algorithm, const std::string& bytes);

// Nothing unless the bucket has had versions.
[[nodiscard]] std::optional<std::string> shown_version(const Bucket& bucket, const Object& object);

[[nodiscard]] wire::s3::Owner owner_of(const Bucket& bucket);

// ---------------------------------------------------------------------------------------------------------------------

// Throws InvalidRedirectLocation.
void check_redirect_location(const std::optional<std::string>& location);
// "a=b&c=d" of the header x-amz-tagging. Throws InvalidArgument, InvalidTag.
[[nodiscard]] TextMap parse_tagging(const std::string& header);
// The same of a browser's form, where tags stand as the document of PutObjectTagging. Throws MalformedXML, BadRequest,
// InvalidTag.
[[nodiscard]] TextMap parse_form_tagging(const std::string& document);
// Where there are no access control lists, only what says that the owner has all is taken. Throws
// AccessControlListNotSupported.
void check_acl_headers(const std::optional<std::string>& acl, bool grants);

template <class Request>
Description describe_request(const Request& request) {
  Description description;
  const auto keep = [&](const char* name, const std::optional<std::string>& value) {
    if (value) description.system.emplace(name, *value);
  };
  keep("cache-control", request.cache_control);
  keep("content-disposition", request.content_disposition);
  keep("content-encoding", request.content_encoding);
  keep("content-language", request.content_language);
  keep("content-type", request.content_type);
  keep("expires", request.expires);
  keep(kRedirectLocation, request.website_redirect_location);
  check_redirect_location(request.website_redirect_location);
  if (request.metadata) description.user = kept_metadata(*request.metadata);
  check_metadata(description.user);
  if (request.tagging) description.tags = parse_tagging(*request.tagging);
  return description;
}

template <class Shape>
void show_checksum_text(Shape& shape, Algorithm algorithm, std::string text) {
  switch (algorithm) {
    case Algorithm::crc32: shape.checksum_crc32 = std::move(text); break;
    case Algorithm::crc32c: shape.checksum_crc32_c = std::move(text); break;
    case Algorithm::crc64nvme: shape.checksum_crc64_nvme = std::move(text); break;
    case Algorithm::sha1: shape.checksum_sha1 = std::move(text); break;
    case Algorithm::sha256: shape.checksum_sha256 = std::move(text); break;
  }
}

template <class Shape>
void show_checksum(Shape& shape, const Checksum& checksum) {
  show_checksum_text(shape, checksum.algorithm, checksum.text());
  if constexpr (requires { shape.checksum_type; }) shape.checksum_type = std::string(name_of(checksum.type));
}

template <class Shape>
void show_checksum_bytes(Shape& shape, Algorithm algorithm, const std::string& bytes) {
  if (!bytes.empty()) show_checksum_text(shape, algorithm, Checksum{.algorithm = algorithm, .bytes = bytes}.text());
}

}  // namespace tidemill::s3

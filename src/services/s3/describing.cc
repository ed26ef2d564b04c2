#include "services/s3/describing.h"

#include "base/text.h"
#include "net/http.h"
#include "services/s3/encoded_words.h"
#include "services/s3/errors.h"
#include "services/s3/settings_document.h"
#include "services/s3/tags.h"

namespace tidemill::s3 {

void check_key(std::string_view key) {
  if (key.size() <= kKeyBytesMax) return;
  throw errors::error("KeyTooLongError", 400, "Your key is too long",
                      {{"Size", std::to_string(key.size())}, {"MaxSizeAllowed", std::to_string(kKeyBytesMax)}});
}

void check_metadata(const TextMap& metadata) {
  size_t size = 0;
  for (const auto& [name, value] : metadata) size += name.size() + value.size();
  if (size <= kUserMetadataBytesMax) return;
  throw errors::error("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size",
                      {{"Size", std::to_string(size)}, {"MaxSizeAllowed", std::to_string(kUserMetadataBytesMax)}});
}

void check_acl_headers(const std::optional<std::string>& acl, bool grants) {
  if (!grants && (!acl || *acl == "bucket-owner-full-control")) return;
  throw errors::error("AccessControlListNotSupported", 400, "The bucket does not allow ACLs");
}

void check_redirect_location(const std::optional<std::string>& location) {
  if (!location) return;
  for (const char* start : {"/", "http://", "https://"}) {
    if (location->starts_with(start)) return;
  }
  throw errors::error("InvalidRedirectLocation", 400,
                      "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.");
}

TextMap kept_metadata(TextMap metadata) {
  for (auto& [name, value] : metadata) value = decode_words(value);
  return metadata;
}

TextMap shown_metadata(TextMap metadata) {
  for (auto& [name, value] : metadata) value = encode_words(value);
  return metadata;
}

std::string shown_etag(std::string_view etag) { return base::cat('"', etag, '"'); }

std::string_view bare_etag(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') return etag.substr(1, etag.size() - 2);
  return etag;
}

std::optional<std::string> shown_version(const Bucket& bucket, const Object& object) {
  if (bucket.versioning == Versioning::never) return std::nullopt;
  return object.version;
}

wire::s3::Owner owner_of(const Bucket& bucket) { return {.id = canonical_id(bucket.account)}; }

TextMap parse_tagging(const std::string& header) {
  TextMap tags;
  bool is_right = net::percent_decode(header).has_value();
  for (auto& [key, value] : net::parse_query("?" + header)) {
    is_right = tags.emplace(std::move(key), std::move(value)).second && is_right;
  }
  if (!is_right) {
    throw errors::invalid_argument("The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query "
                                   "parameters without tag name duplicates.",
                                   "x-amz-tagging", header);
  }
  check_object_tags(tags);
  return tags;
}

TextMap parse_form_tagging(const std::string& document) {
  TextMap tags = tags_of(read_document<wire::s3::ops::PutObjectTagging>(document).tagging.tag_set);
  check_object_tags(tags);
  return tags;
}

}  // namespace tidemill::s3

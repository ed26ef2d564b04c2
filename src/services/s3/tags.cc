#include "services/s3/tags.h"

#include <algorithm>

#include "services/s3/errors.h"
#include "wire/tags.h"

namespace tidemill::s3 {
namespace {

// AWS names its own keys as the reason in small letters only; in others they are no keys.
bool is_key(std::string_view key) {
  if (!wire::is_tag_key_size(key) || !wire::is_tag_text(key)) return false;
  return key.starts_with("aws:") || !wire::is_reserved_tag_key(key);
}

// `reserved`: what is said of AWS's own keys.
void check_tags(const TextMap& tags, const char* reserved) {
  for (const auto& [key, value] : tags) {
    if (!is_key(key)) {
      throw errors::error("InvalidTag", 400, "The TagKey you have provided is invalid");
    }
    if (key.starts_with("aws:")) {
      throw errors::error("InvalidTag", 400, reserved);
    }
    if (!wire::is_tag_value_size(value) || !wire::is_tag_text(value)) {
      throw errors::error("InvalidTag", 400, "The TagValue you have provided is invalid");
    }
  }
}

}  // namespace

void check_object_tags(const TextMap& tags) {
  if (tags.size() > kObjectTagsMax) {
    throw errors::error("BadRequest", 400, "Object tags cannot be greater than 10");
  }
  check_tags(tags, "Your TagKey cannot be prefixed with aws:");
}

void check_bucket_tags(const TextMap& tags) {
  if (tags.size() > kBucketTagsMax) {
    throw errors::error("BadRequest", 400, "Bucket tag count cannot be greater than 50");
  }
  check_tags(tags, "System tags cannot be added/updated by requester");
}

void check_new_bucket_tags(const TextMap& tags) {
  if (std::ranges::any_of(tags, [](const auto& tag) { return tag.first.starts_with("aws:"); })) {
    throw errors::error("InvalidTag", 400,
                        "User-defined tag keys can't start with \"aws:\". This prefix is reserved for system tags. "
                        "Remove \"aws:\" from your tag keys and try again.");
  }
  check_bucket_tags(tags);
}

TextMap tags_of(const std::vector<wire::s3::Tag>& set) {
  TextMap tags;
  for (const auto& tag : set) {
    if (tags.emplace(tag.key, tag.value).second) continue;
    throw errors::error("InvalidTag", 400, "Cannot provide multiple Tags with the same key");
  }
  return tags;
}

std::vector<wire::s3::Tag> tag_set_of(const TextMap& tags) {
  std::vector<wire::s3::Tag> set;
  for (const auto& [key, value] : tags) set.push_back({.key = key, .value = value});
  return set;
}

}  // namespace tidemill::s3

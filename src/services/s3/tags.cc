#include "services/s3/tags.h"

#include <algorithm>

#include "base/text.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

size_t characters_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Letters, digits and spaces of any script, and a few signs.
bool is_valid_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(" +-=._:/@").contains(c);
  });
}

// `reserved`: what is said of AWS's own keys.
void check_tags(const TextMap& tags, const char* reserved) {
  for (const auto& [key, value] : tags) {
    if (key.empty() || characters_of(key) > kTagKeyMax || !is_valid_text(key)) {
      throw errors::error("InvalidTag", 400, "The TagKey you have provided is invalid");
    }
    if (key.starts_with("aws:")) {
      throw errors::error("InvalidTag", 400, reserved);
    }
    if (characters_of(value) > kTagValueMax || !is_valid_text(value)) {
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

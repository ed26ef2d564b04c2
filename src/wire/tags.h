// Tags of resources: a map in their records, and a list of structures with a key and a value in most services' shapes;
// and what keys and values may be, which each service refuses with an error of its own.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::wire {

using TagMap = std::map<std::string, std::string>;

// ---- What AWS refuses. Tagging AWS Resources user guide, "Tag naming limits and requirements" ----

inline constexpr size_t kTagKeyMax = 128;  // characters
inline constexpr size_t kTagValueMax = 256;

// Whether it begins with "aws:", in any letter case: AWS gives and takes such tags by itself, and lets nobody else.
[[nodiscard]] bool is_reserved_tag_key(std::string_view key);
// What is said of them by services whose words are not known.
inline constexpr char kReservedTagKey[] = "Tag keys that begin with aws: are reserved for AWS.";
// Whether a request to remove it is not refused: reserved keys are, unless one is there. Then it came when only small
// letters were refused, and may go.
[[nodiscard]] inline bool may_remove_tag(const TagMap& tags, const std::string& key) {
  return tags.contains(key) || !is_reserved_tag_key(key);
}
[[nodiscard]] inline bool may_remove_tags(const TagMap& tags, const std::vector<std::string>& keys) {
  return std::ranges::all_of(keys, [&](const std::string& key) { return may_remove_tag(tags, key); });
}

// Whether it consists of letters, digits and spaces of any script, and _ . : / = + - @
[[nodiscard]] bool is_tag_text(std::string_view text);

[[nodiscard]] bool is_tag_key_size(std::string_view key);  // 1 to kTagKeyMax
[[nodiscard]] bool is_tag_value_size(std::string_view value);

// ---- Maps and lists ----

// As Tag structures, by their keys.
template <class Tag>
[[nodiscard]] std::vector<Tag> tag_list(const TagMap& tags) {
  std::vector<Tag> list;
  list.reserve(tags.size());
  for (const auto& [key, value] : tags) list.push_back({.key = key, .value = value});
  return list;
}

// Those that are there get their new value. False: a key is given twice.
template <class Tag>
[[nodiscard]] bool add_tags(TagMap& tags, const std::vector<Tag>& added) {
  std::set<std::string_view> keys;
  for (const Tag& tag : added) {
    if (!keys.insert(tag.key).second) return false;
    tags.insert_or_assign(tag.key, tag.value);
  }
  return true;
}

inline void erase_tags(TagMap& tags, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) tags.erase(key);
}

}  // namespace tidemill::wire

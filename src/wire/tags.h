// Tags of resources: a map in their records, and a list of structures with a key and a value in most services' shapes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::wire {

using TagMap = std::map<std::string, std::string>;

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

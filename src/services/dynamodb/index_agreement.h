// For tests: that an index holds what follows from its table's items, computed here anew.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb::testing {

struct ExpectedIndex {
  std::string name;
  std::vector<KeyAttribute> keys;       // of the index
  std::vector<std::string> attributes;  // that are projected; empty: all
};

inline std::vector<Item> scan_items(World& world, const std::string& table, const std::string& index = "") {
  const std::string start = R"({"TableName":")" + table + "\"" + (index.empty() ? "" : R"(,"IndexName":")" + index + "\"");
  std::vector<Item> items;
  std::string from;
  for (;;) {
    const json::Value answer = world.ask("Scan", start + from + "}");
    const json::Value* found = answer.find("Items");
    if (!found) return items;
    for (const json::Value& item : found->array()) items.push_back(lang::dynamodb::item_from_json(json::write(item)));
    const json::Value* last = answer.find("LastEvaluatedKey");
    if (!last) return items;
    from = R"(,"ExclusiveStartKey":)" + json::write(*last);
  }
}

inline std::vector<std::string> expected_entries(const std::vector<Item>& items, const ExpectedIndex& index) {
  std::vector<std::string> entries;
  for (const Item& item : items) {
    const bool has_keys = std::ranges::all_of(index.keys, [&](const KeyAttribute& key) {
      const auto value = item.find(key.name);
      return value && value->type() == key.type;
    });
    if (!has_keys) continue;
    Item entry;
    for (const auto& member : item.members()) {
      const bool taken = index.attributes.empty() ||
                         std::ranges::find(index.attributes, member.name) != index.attributes.end();
      if (taken) entry.set(member.name, member.value);
    }
    entries.push_back(entry.encoded());
  }
  std::ranges::sort(entries);
  return entries;
}

// Whether the index of the table agrees with it.
inline bool agrees(World& world, const std::string& table, const ExpectedIndex& index) {
  std::vector<std::string> entries;
  for (const Item& entry : scan_items(world, table, index.name)) entries.push_back(entry.encoded());
  std::ranges::sort(entries);
  return entries == expected_entries(scan_items(world, table), index);
}

}  // namespace tidemill::dynamodb::testing

// Inside: what an event is asked for by a set of patterns, and what it satisfies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "lang/patterns/matcher.h"
#include "lang/patterns/text_table.h"

namespace tidemill::lang::patterns {

using KeyId = uint32_t;
using PathId = uint32_t;

// What an event satisfies.
struct Satisfied {
  std::vector<KeyId> keys;  // ascending, each once
  // Nowhere on the way were there several objects in one array, or names with dots: all keys are of the same objects.
  bool is_plain = true;

  [[nodiscard]] bool contains(KeyId key) const;
};

// One thing that a value at some path may satisfy.
struct Key {
  enum class Kind : uint8_t {
    text,
    folded_text,
    number,  // exact
    prefix,
    suffix,
    folded_prefix,
    folded_suffix,  // parts of texts; the folded ones regardless of case
    boolean_true,
    boolean_false,
    null,
    any_number,
    any,  // of few kinds
  };
  PathId path = 0;
  Kind kind = Kind::any;
  std::string text;  // a number's bytes
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    return std::hash<std::string_view>()(key.text) ^ (key.path * 0x9E3779B97F4A7C15u + static_cast<size_t>(key.kind));
  }
};

// What a value must satisfy at least if `matcher` is to match it.
[[nodiscard]] Key key_of(PathId path, const Matcher& matcher);

// Whether a value satisfies the matcher's key only if it matches.
[[nodiscard]] bool is_exact(const Matcher& matcher);

// The paths of patterns, and at each the keys that are asked for.
class Paths {
 public:
  static constexpr PathId kRoot = 0;

  Paths() : nodes_(1) {}

  // Makes it if it is new.
  PathId child(PathId parent, std::string_view segment);

  // From now on events are asked for it.
  void ask(const Key& key, KeyId id);

  // What `event` satisfies of what is asked.
  [[nodiscard]] Satisfied satisfied(const json::Value& event) const;

 private:
  struct Parts {
    TextTable keys;
    std::vector<size_t> sizes;  // of the keys, ascending
    void add(const std::string& text, KeyId id);
  };
  struct Node {
    PathId parent = kRoot;
    TextTable children;
    bool is_asked = false;  // or something below it
    bool asks_values = false;
    TextTable texts, folded_texts;
    std::unordered_map<double, KeyId> numbers;
    Parts prefixes, suffixes, folded_prefixes, folded_suffixes;
    std::vector<KeyId> trues, falses, nulls, any_number, any;
  };

  void walk(const Node& node, const json::Value& value, Satisfied& found) const;
  void walk_array(const Node& node, const json::Array& array, Satisfied& found) const;
  void walk_member(const Node& node, std::string_view name, const json::Value& value, Satisfied& found) const;
  static void add_value(const Node& node, const json::Value& value, std::vector<KeyId>& found);
  static void add_text(const Node& node, std::string_view text, std::vector<KeyId>& found);

  std::vector<Node> nodes_;
};

}  // namespace tidemill::lang::patterns

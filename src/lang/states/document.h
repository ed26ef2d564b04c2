// JSON documents that states hand on without copying them.
#pragma once

#include <memory>

#include "base/json.h"

namespace tidemill::lang::states {

// Immutable, never null where a value is meant. A part of a document holds the whole (an aliasing pointer), so that
// "InputPath": "$.order" and states that change nothing copy nothing.
using Document = std::shared_ptr<const json::Value>;

[[nodiscard]] inline Document make_document(json::Value value) {
  return std::make_shared<const json::Value>(std::move(value));
}

// How many bytes of text the value is, written without white space.
[[nodiscard]] size_t text_size(const json::Value& value);

// About how many bytes of memory a copy of it takes.
[[nodiscard]] size_t memory_size(const json::Value& value);

// Whether more than `levels` arrays and objects nest in it. Looks no further than that: what is composed may nest deeper
// than anything that recurses without a bound can stand.
[[nodiscard]] bool is_deeper_than(const json::Value& value, int levels);

}  // namespace tidemill::lang::states

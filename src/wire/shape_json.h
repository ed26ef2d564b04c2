// JSON by tables: requests straight from simdjson into structures, and structures into text.
#pragma once

#include <string_view>

#include "base/json.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

struct ReadContext;

// Reads a body into a new `structure`. Throws SerializationException; a value that is wrong in itself is kept in the
// context. An empty body is as good as {}.
void read_json(std::string_view body, const Shape& shape, void* structure, ReadContext& context);
// Reads one custom value from the text of a JSON object.
void read_custom_json(std::string_view text, const Shape& shape, void* value, ReadContext& context);

// Members that stand elsewhere than in the body are left out.
void write_json(json::Writer& writer, const Shape& shape, const void* structure);
void write_json_map(json::Writer& writer, const Shape& map, const void* value);

}  // namespace tidemill::wire::shapes

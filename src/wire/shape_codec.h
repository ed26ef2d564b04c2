// How a @cppType is read and written: what a codec's header (models/README.md) points to and its source defines.
#pragma once

#include <string>

#include "base/json.h"
#include "wire/shape_reader.h"

namespace tidemill::wire::shapes {

struct Codec {
  // Throws SerializationException; a wrong value is kept in the context until the request is read.
  void (*parse)(Json json, void* out, ReadContext& context);
  void (*write)(json::Writer& writer, const void* value);
  // Before a list of them is written; null: nothing to do.
  void (*make_room)(json::Writer& writer, const void* list) = nullptr;
  // About how many bytes one has; null: few.
  size_t (*bytes)(const void* value) = nullptr;
};

}  // namespace tidemill::wire::shapes

#include "wire/shape_table.h"

#include "base/frame_pool.h"

namespace tidemill::wire::shapes {

constinit const Shape kText{.kind = Kind::text, .name = "String"};
constinit const Shape kBoolean{.kind = Kind::boolean, .name = "Boolean"};
constinit const Shape kInteger{.kind = Kind::integer, .name = "Integer"};
constinit const Shape kLong{.kind = Kind::long_integer, .name = "Long"};
constinit const Shape kNumber{.kind = Kind::number, .name = "Double"};
constinit const Shape kTimestamp{.kind = Kind::timestamp, .name = "Timestamp"};
constinit const Shape kBlob{.kind = Kind::blob, .name = "Blob"};
constinit const Shape kDocument{.kind = Kind::document, .name = "Document"};
constinit const Shape kBodyStream{.kind = Kind::body_stream, .name = "StreamingBlob"};

void clear(const Shape& shape, void* value) {
  switch (shape.kind) {
    case Kind::list:
      return shape.list->clear(value);
    case Kind::map:
      return shape.map->clear(value);
    case Kind::structure:
      shape.lifetime.destroy(value);
      shape.lifetime.make(value);
      return;
    default:
      return;  // whoever reads them sets them whole
  }
}

size_t size_of(const Shape& collection, const void* value) {
  if (collection.map) return collection.map->size(value);
  size_t size = 0;
  collection.list->elements(value, size);
  return size;
}

// As the frames of coroutines, which held requests and answers would they be of known types.
Instance::Instance(const Shape& shape) : shape_(shape), memory_(base::detail::allocate_frame(shape.lifetime.size)) {
  shape.lifetime.make(memory_);
}

Instance::~Instance() {
  shape_.lifetime.destroy(memory_);
  base::detail::free_frame(memory_, shape_.lifetime.size);
}

}  // namespace tidemill::wire::shapes

#include "wire/shape_size.h"

#include <string>

#include "base/json.h"
#include "wire/shape_codec.h"

namespace tidemill::wire::shapes {

namespace {

constexpr size_t kOfAnyValue = 8;     // names and signs around it not counted
constexpr size_t kDocumentBytes = 64;  // few operations have one, and none a large one

class Count {
 public:
  explicit Count(size_t most) : left_(most) {}

  [[nodiscard]] bool is_over() const { return over_; }

  void structure(const Shape& shape, const void* structure) {
    for (const Member& member : shape.members) {
      if (!member.shape) continue;
      if (const void* value = value_of(member, structure)) add(*member.shape, value);
      if (over_) return;
    }
  }

 private:
  void take(size_t bytes) {
    over_ = bytes > left_;
    left_ -= over_ ? 0 : bytes;
  }

  void add(const Shape& shape, const void* value) {
    switch (shape.kind) {
      case Kind::text:
      case Kind::blob:
        return take(as<std::string>(value).size());
      case Kind::list:
        return list(shape, value);
      case Kind::map:
        return map(shape, value);
      case Kind::structure:
        return structure(shape, value);
      case Kind::custom:
        return take(shape.codec->bytes ? shape.codec->bytes(value) : kOfAnyValue);
      case Kind::document:
        return take(kDocumentBytes);
      case Kind::boolean:
      case Kind::integer:
      case Kind::long_integer:
      case Kind::number:
      case Kind::timestamp:
        return take(kOfAnyValue);
      case Kind::body_stream:
      case Kind::event_stream:
        return;
    }
  }

  void list(const Shape& shape, const void* value) {
    size_t size = 0;
    const char* element = static_cast<const char*>(shape.list->elements(value, size));
    for (; size > 0 && !over_; --size, element += shape.list->stride) add(*shape.element->shape, element);
  }

  void map(const Shape& shape, const void* value) {
    struct State {
      Count& count;
      const Shape& element;
    } state{*this, *shape.element->shape};
    shape.map->each(value, &state, [](void* at, const std::string& key, const void* entry) {
      auto& [count, element] = *static_cast<State*>(at);
      if (count.over_) return;
      count.take(key.size());
      if (!count.over_) count.add(element, entry);
    });
  }

  size_t left_;
  bool over_ = false;
};

}  // namespace

bool is_larger_than(size_t bytes, const Shape& shape, const void* structure) {
  Count count(bytes);
  count.structure(shape, structure);
  return count.is_over();
}

}  // namespace tidemill::wire::shapes

#include "lang/jsonata/value.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/json_objects.h"
#include "base/utf8.h"
#include "lang/jsonata/error.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr size_t kIndexedFrom = 12;  // members from which an object has an index

uint64_t mix(uint64_t a, uint64_t b) { return (std::rotl(a, 25) ^ b) * 0x9E3779B97F4A7C15; }

uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

void Meter::stop() { throw JsonataError("U1001"); }

void* Arena::allocate(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  if (bytes > static_cast<size_t>(end_ - next_)) return allocate_chunk(bytes);
  void* const place = next_;
  next_ += bytes;
  return place;
}

void* Arena::allocate_chunk(size_t bytes) {
  expect(static_cast<double>(bytes));
  chunk_ = std::min(chunk_ * 2, kChunkMax);
  const size_t wanted = std::min(std::max(bytes, chunk_), left_);
  left_ -= wanted;
  std::byte* const chunk = chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(wanted)).get();
  // What is large has a chunk of its own; the old one goes on.
  if (wanted - bytes >= static_cast<size_t>(end_ - next_)) {
    next_ = chunk + bytes;
    end_ = chunk + wanted;
  }
  return chunk;
}

std::string_view Arena::keep(std::string_view text) {
  if (text.empty()) return "";
  expect(0);
  if (text.size() > UINT32_MAX) throw JsonataError("U1001");
  char* const place = static_cast<char*>(allocate(text.size()));
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void Arena::expect(double bytes) const {
  if (!(bytes <= static_cast<double>(left_))) throw JsonataError("U1001");
}

void Array::fill() {
  items_ = arena_->make_many<Value>(size_).data();
  for (uint32_t i = 0; i < size_; ++i) items_[i] = source_ ? from_json(*arena_, (*source_)[i]) : Value(first_ + i);
  capacity_ = size_;
  is_pending_ = false;
}

void Array::reserve(size_t count) {
  if (is_pending_) fill();
  if (count <= capacity_) return;
  const auto grown = arena_->make_many<Value>(count);
  if (size_ > 0) std::memcpy(static_cast<void*>(grown.data()), items_, size_ * sizeof(Value));
  items_ = grown.data();
  capacity_ = static_cast<uint32_t>(count);
}

void Array::push(Value value) {
  if (is_pending_ || size_ == capacity_) reserve(std::max<size_t>(4, size_t{size_} * 2));
  items_[size_++] = value;
}

void Array::append(std::span<const Value> values) {
  if (values.empty()) return;
  if (is_pending_ || size_ + values.size() > capacity_)
    reserve(std::max<size_t>(size_ + values.size(), size_t{size_} * 2));
  std::memcpy(static_cast<void*>(items_ + size_), values.data(), values.size() * sizeof(Value));
  size_ += static_cast<uint32_t>(values.size());
}

void Object::fill() {
  const json::Object& source = *source_;
  source_ = nullptr;
  capacity_ = static_cast<uint32_t>(source.size());
  members_ = arena_->make_many<Member>(capacity_).data();
  for (const auto& [name, value] : source) members_[size_++] = {name, from_json(*arena_, value)};
}

// The place in the index where `name` is or would be.
uint32_t* Object::slot_of(std::string_view name) {
  const uint32_t mask = slot_count_ - 1;
  for (uint32_t i = static_cast<uint32_t>(hash_of(name)) & mask;; i = (i + 1) & mask) {
    if (slots_[i] == 0 || members_[slots_[i] - 1].name == name) return &slots_[i];
  }
}

void Object::index() {
  slot_count_ = std::bit_ceil(std::max<uint32_t>(size_, 16) * 2);
  slots_ = arena_->make_many<uint32_t>(slot_count_).data();
  std::memset(slots_, 0, slot_count_ * sizeof(uint32_t));
  for (uint32_t i = 0; i < size_; ++i) *slot_of(members_[i].name) = i + 1;
}

Value* Object::find(std::string_view name) {
  if (source_) fill();
  if (size_ < kIndexedFrom) {
    for (uint32_t i = 0; i < size_; ++i) {
      if (members_[i].name == name) return &members_[i].value;
    }
    return nullptr;
  }
  if (!slots_) index();
  const uint32_t place = *slot_of(name);
  return place == 0 ? nullptr : &members_[place - 1].value;
}

void Object::grow() {
  capacity_ = std::max<uint32_t>(4, capacity_ * 2);
  const auto grown = arena_->make_many<Member>(capacity_);
  if (size_ > 0) std::memcpy(static_cast<void*>(grown.data()), members_, size_ * sizeof(Member));
  members_ = grown.data();
}

void Object::set(std::string_view name, Value value) {
  if (Value* const member = find(name)) {
    *member = value;
    return;
  }
  if (size_ == capacity_) grow();
  members_[size_++] = {name, value};
  if (slots_ && size_ * 2 > slot_count_) slots_ = nullptr;  // made anew when next looked for
  if (slots_) *slot_of(name) = size_;
}

void Object::erase(std::string_view name) {
  const auto all = members();
  const auto found = std::ranges::find(all, name, &Member::name);
  if (found == all.end()) return;
  std::copy(found + 1, all.end(), found);
  --size_;
  slots_ = nullptr;
}

const Binding* Tuple::find(std::string_view name) const {
  const Binding* binding = bindings;
  while (binding && binding->name != name) binding = binding->next;
  return binding;
}

void Frame::bind(Arena& arena, Meter& meter, std::string_view name, Value value) {
  for (Binding* binding = is_shared_ ? nullptr : bindings_; binding; binding = binding->next) {
    meter.walk();
    if (binding->name == name) {
      binding->value = value;
      return;
    }
  }
  bindings_ = arena.make<Binding>(name, value, bindings_);
}

const Value* Frame::find(std::string_view name, Meter& meter) const {
  for (const Frame* frame = this; frame; frame = frame->parent_) {
    meter.walk();
    for (const Binding* binding = frame->bindings_; binding; binding = binding->next) {
      meter.walk();
      if (binding->name == name) return &binding->value;
    }
  }
  return nullptr;
}

Value from_json(Arena& arena, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return Value::null();
    case json::Kind::boolean:
      return value.boolean();
    case json::Kind::number:
      return value.to_double().value_or(0);
    case json::Kind::string:
      return Value(std::string_view(value.string()));
    case json::Kind::array:
      return arena.make<Array>(arena, value.array());
    case json::Kind::object:
      return arena.make<Object>(arena, value.object());
  }
  std::abort();
}

Value own_json(Arena& arena, Meter& meter, const json::Value& value, int depth) {
  check_nesting(depth);
  meter.walk();
  if (value.is_string()) return Value(arena.keep(value.string()));
  if (value.is_array()) {
    Array* const array = arena.make<Array>(arena);
    for (const json::Value& item : value.array()) array->push(own_json(arena, meter, item, depth + 1));
    return array;
  }
  if (value.is_object()) {
    Object* const object = arena.make<Object>(arena);
    for (const auto& [name, member] : value.object()) {
      object->set(arena.keep(name), own_json(arena, meter, member, depth + 1));
    }
    return object;
  }
  return from_json(arena, value);
}

namespace {

json::Value number_to_json(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::trunc(number) == number && std::abs(number) <= kExact) return static_cast<int64_t>(number);
  return number;
}

class JsonMaker {
 public:
  JsonMaker(Meter& meter, size_t bytes_max) : meter_(meter), bytes_left_(bytes_max) {}

  json::Value make(Value value, int depth) {
    check_nesting(depth);
    meter_.walk();
    take(sizeof(json::Value));
    switch (value.kind) {
      case Kind::boolean:
        return value.boolean;
      case Kind::number:
        return number_to_json(value.number);
      case Kind::string:
        take(value.size);
        return base::to_utf8(value.string());
      case Kind::array:
        return make_array(*value.array, depth + 1);
      case Kind::object:
        return make_object(*value.object, depth + 1);
      default:
        return nullptr;
    }
  }

 private:
  json::Value make_array(Array& array, int depth) {
    json::Array out;
    for (const Value item : array.items()) out.push_back(make(item, depth));
    return out;
  }

  json::Value make_object(Object& object, int depth) {
    std::vector<json::Member> members;
    for (const auto& [name, value] : object.members()) {
      if (!value.defined() || value.is(Kind::function)) continue;
      take(sizeof(std::string) + name.size());
      members.emplace_back(base::to_utf8(name), make(value, depth));
    }
    return json::object_of(std::move(members));
  }

  void take(size_t bytes) {
    if (bytes > bytes_left_) throw JsonataError("U1001");
    bytes_left_ -= bytes;
    meter_.read(bytes);
  }

  Meter& meter_;
  size_t bytes_left_;
};

}  // namespace

void check_nesting(int depth) {
  if (depth > kNestingMax) throw JsonataError("U1001");
}

json::Value to_json(Meter& meter, Value value, size_t bytes_max) { return JsonMaker(meter, bytes_max).make(value, 0); }

namespace {

bool equal_arrays(Meter& meter, Array& a, Array& b, int depth) {
  if (a.size() != b.size()) return false;
  return std::ranges::equal(a.items(), b.items(), [&](Value x, Value y) { return deep_equal(meter, x, y, depth); });
}

bool equal_objects(Meter& meter, Object& a, Object& b, int depth) {
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a.members(), [&](const Object::Member& member) {
    const Value* const other = b.find(member.name);
    return other && deep_equal(meter, member.value, *other, depth);
  });
}

}  // namespace

bool deep_equal(Meter& meter, Value a, Value b, int depth) {
  check_nesting(depth);
  meter.walk();
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::number:
      return a.number == b.number;
    case Kind::string:
      if (a.size == b.size) meter.read(a.size);
      return a.string() == b.string();
    case Kind::array:
      return a.array == b.array || equal_arrays(meter, *a.array, *b.array, depth + 1);
    case Kind::object:
      return a.object == b.object || equal_objects(meter, *a.object, *b.object, depth + 1);
    case Kind::function:
      return a.function == b.function;
    default:
      return true;
  }
}

uint64_t deep_hash(Meter& meter, Value value, int depth) {
  check_nesting(depth);
  meter.walk();
  const uint64_t kind = static_cast<uint64_t>(value.kind);
  switch (value.kind) {
    case Kind::boolean:
      return mix(kind, value.boolean);
    case Kind::number:
      return mix(kind, std::bit_cast<uint64_t>(value.number == 0 ? 0.0 : value.number));
    case Kind::string:
      meter.read(value.size);
      return mix(kind, hash_of(value.string()));
    case Kind::function:
      return mix(kind, reinterpret_cast<uintptr_t>(value.function));
    case Kind::array: {
      uint64_t hash = kind;
      for (const Value item : value.array->items()) hash = mix(hash, deep_hash(meter, item, depth + 1));
      return hash;
    }
    case Kind::object: {
      uint64_t hash = kind;  // in any order of the members
      for (const auto& [name, member] : value.object->members())
        hash += mix(hash_of(name), deep_hash(meter, member, depth + 1));
      return hash;
    }
    default:
      return kind;
  }
}

Value deep_copy(Arena& arena, Meter& meter, Value value, int depth) {
  check_nesting(depth);
  meter.walk();
  if (value.is(Kind::array)) {
    Array* const copy = arena.make<Array>(arena);
    copy->reserve(value.array->size());
    for (const Value item : value.array->items()) copy->push(deep_copy(arena, meter, item, depth + 1));
    return copy;
  }
  if (value.is(Kind::object)) {
    Object* const copy = arena.make<Object>(arena);
    for (const auto& [name, member] : value.object->members()) {
      if (!member.is(Kind::function)) copy->set(name, deep_copy(arena, meter, member, depth + 1));
    }
    return copy;
  }
  return value;
}

Array* sequence(Arena& arena) {
  Array* const array = arena.make<Array>(arena);
  array->sequence = true;
  return array;
}

Array* sequence(Arena& arena, Value only) {
  Array* const array = sequence(arena);
  array->push(only);
  return array;
}

}  // namespace tidemill::lang::jsonata

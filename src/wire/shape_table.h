// What a model says of its shapes, as data: the tables that the generator makes (wire/shapes/<service>.cc) and that one
// interpreter per protocol reads and writes structures by. They can be asked at run time too, from an OperationInfo on:
//
//   for (const shapes::Member& member : info.input->members) { member.name, member.shape->kind, member.required … }
//
// Tables are constants that live as long as the program; any thread may read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/task.h"
#include "wire/timestamp.h"

namespace tidemill::wire {

enum class Encoding;
struct CountRule;
struct EventMessage;
struct NumberRule;
struct TextRule;

namespace shapes {

struct Codec;  // wire/shape_codec.h
struct Member;
struct Shape;

// What a value is. The C++ type of each stands in models/README.md.
enum class Kind : uint8_t {
  text,  // a string or an enum
  boolean,
  integer,
  long_integer,
  number,  // a float or a double
  timestamp,
  blob,
  document,
  list,
  map,
  structure,  // or a union
  custom,     // @cppType
  body_stream,
  event_stream,
};

// Where a member stands in a request or an answer of the rest protocols.
enum class Location : uint8_t { body, label, query, header, prefix_headers, payload, status, query_params };

// ---- What can be done to a place of a C++ type that only the tables know (made in wire/shape_access.h) ----

struct OptionalAccess {
  void* (*emplace)(void* optional);          // the value, afresh
  const void* (*get)(const void* optional);  // nullptr: absent
  void* (*get_or_emplace)(void* optional);
};

struct ListAccess {
  size_t stride;  // from one element to the next
  void* (*append)(void* list);
  const void* (*elements)(const void* list, size_t& size);  // they stand side by side
  void (*clear)(void* list);
};

struct MapAccess {
  using Visit = void (*)(void* state, const std::string& key, const void* value);

  size_t stride;  // what an entry takes at least
  // The value at `key`, afresh.
  void* (*fresh)(void* map, std::string key);
  size_t (*size)(const void* map);
  void (*each)(const void* map, void* state, Visit visit);  // in the order of the keys
  void (*clear)(void* map);
};

// Of structures.
struct Lifetime {
  size_t size;
  size_t align;
  void (*make)(void* place);
  void (*destroy)(void* structure);
};

// What gives the next event of a stream, encoded; nothing at its end.
using NextEvent = std::function<Task<std::optional<EventMessage>>()>;
struct EventAccess {
  NextEvent (*source)(const void* stream, const Shape& events, Encoding encoding);
};

// ---- The tables ----

struct Shape {
  Kind kind;
  std::string_view name;        // the model's; simple types are "String", "Integer", …
  std::string_view class_name;  // what AWS's messages call a list, map or structure: "java.util.List<…>"

  // Of structures.
  std::span<const Member> members = {};
  Lifetime lifetime = {};
  uint64_t required = 0;        // the bits of all required members
  uint32_t missing_offset = 0;  // of missing_required, if there is any such member
  bool is_union = false;
  bool given = true;  // false: an operation without input or output has an empty structure that no model knows
  std::string_view xml_root = {};  // its element where it is a body

  // Of lists and maps.
  const Member* element = nullptr;  // a list's member, a map's value
  const Member* key = nullptr;
  const ListAccess* list = nullptr;
  const MapAccess* map = nullptr;
  // How many elements of a list readers keep: more than it may have by far, so that it is refused in the end, but not
  // millions.
  size_t room = std::numeric_limits<size_t>::max();

  std::span<const std::string_view> values = {};  // of enums; event streams: the codes of their errors
  const Codec* codec = nullptr;                   // of custom types
  const EventAccess* events = nullptr;            // of event streams
};

// What few members have.
struct MemberDetails {
  std::string_view header = {};  // as answers spell it
  std::string_view media_type = {};
  std::string_view accepted_json = {};  // the value that asks for nothing of an unsupported member
  std::string_view accepted_text = {};
  std::string_view namespace_prefix = {};  // of the namespace that is declared on its element; "": the default one
  std::string_view namespace_uri = {};
};

inline constexpr MemberDetails kNoDetails;

struct Member {
  std::string_view name;                     // the model's
  std::string_view json = name;              // in JSON and CBOR
  std::string_view xml = name;               // in XML and Query forms
  const Shape* shape = nullptr;              // null: unsupported
  const OptionalAccess* optional = nullptr;  // null: the value stands there itself
  uint64_t required = 0;                     // its bit in missing_required; 0: it may be absent
  uint32_t offset = 0;                       // in its structure
  Location location = Location::body;
  bool checked = false;           // something in it has constraints
  bool flattened = false;         // its elements have no element around them in XML
  bool attribute = false;         // of its structure's element
  bool unsupported = false;       // known to AWS, not to us: it has no place in C++
  bool sensitive = false;         // messages do not show it
  bool wraps_attributes = false;  // its structure has members that are attributes of its element
  std::optional<TimestampFormat> format = std::nullopt;
  std::string_view bound = {};  // its query parameter, label, or header (or their prefix) in lower case
  const TextRule* text_rule = nullptr;
  const NumberRule* number_rule = nullptr;
  const CountRule* count_rule = nullptr;
  const MemberDetails* details = &kNoDetails;
};

// The simple types.
extern const Shape kText;
extern const Shape kBoolean;
extern const Shape kInteger;
extern const Shape kLong;
extern const Shape kNumber;
extern const Shape kTimestamp;
extern const Shape kBlob;
extern const Shape kDocument;
extern const Shape kBodyStream;

// ---- Structures by their tables: `structure` is of the C++ type that the shape is of ----

[[nodiscard]] inline void* place_of(const Member& member, void* structure) {
  return static_cast<char*>(structure) + member.offset;
}
[[nodiscard]] inline const void* place_of(const Member& member, const void* structure) {
  return static_cast<const char*>(structure) + member.offset;
}
// The member's value; nullptr if it is absent.
[[nodiscard]] inline const void* value_of(const Member& member, const void* structure) {
  const void* place = place_of(member, structure);
  return member.optional ? member.optional->get(place) : place;
}

// Which required members a structure lacks.
[[nodiscard]] inline uint64_t missing_of(const Shape& shape, const void* structure) {
  if (!shape.required) return 0;
  return *reinterpret_cast<const uint64_t*>(static_cast<const char*>(structure) + shape.missing_offset);
}
inline void set_missing(const Shape& shape, void* structure, uint64_t missing) {
  if (!shape.required) return;
  *reinterpret_cast<uint64_t*>(static_cast<char*>(structure) + shape.missing_offset) = missing;
}

template <class T>
[[nodiscard]] const T& as(const void* value) {
  return *static_cast<const T*>(value);
}
template <class T>
[[nodiscard]] T& as(void* value) {
  return *static_cast<T*>(value);
}

// Where the value of a member that has come goes: afresh, whether it came before or not. Marks it as there in
// `missing`, which the reader keeps of its structure.
[[nodiscard]] inline void* arrive(const Member& member, void* structure, uint64_t& missing);

// Makes a value that stands by itself as if it were new.
void clear(const Shape& shape, void* value);

inline void* arrive(const Member& member, void* structure, uint64_t& missing) {
  void* place = place_of(member, structure);
  if (member.optional) return member.optional->emplace(place);
  if (!(missing & member.required)) clear(*member.shape, place);
  missing &= ~member.required;
  return place;
}

// Calls visit(element) for each of a list.
template <class Visit>
void each_element(const Shape& list, const void* value, Visit visit) {
  size_t size = 0;
  const char* element = static_cast<const char*>(list.list->elements(value, size));
  for (; size > 0; --size, element += list.list->stride) visit(static_cast<const void*>(element));
}

// Calls visit(key, value) for each entry of a map.
template <class Visit>
void each_entry(const Shape& map, const void* value, Visit visit) {
  map.map->each(value, &visit, [](void* state, const std::string& key, const void* entry) {
    (*static_cast<Visit*>(state))(key, entry);
  });
}

[[nodiscard]] size_t size_of(const Shape& collection, const void* value);

// A structure that is made as its shape says, and destroyed with this.
class Instance {
 public:
  explicit Instance(const Shape& shape);
  ~Instance();
  Instance(const Instance&) = delete;

  [[nodiscard]] void* get() { return memory_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  const Shape& shape_;
  void* memory_;
};

}  // namespace shapes
}  // namespace tidemill::wire

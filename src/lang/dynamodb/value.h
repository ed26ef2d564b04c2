// Attribute values and items in DynamoDB's data model, kept as compact canonical bytes: an item goes from the request
// to the store and back without a document tree in between. Equal values have equal bytes: maps are sorted by name,
// sets are sorted and free of duplicates, numbers are base::Decimal encodings.
//
// The format (docs/store-format.md; integers little-endian, varint is LEB128):
//   value   = tag, then by tag
//     NUL, false, true   nothing
//     N                  size in one byte, Decimal encoding
//     S, B               size as varint, bytes
//     L, M, SS, NS, BS   size of what follows in 4 bytes, then
//       L                values
//       M                members: size of name as varint, name, value; in byte order of the names
//       SS, BS           size as varint, bytes; in byte order
//       NS               size in one byte, Decimal encoding; in numeric order
//   item    = members as of M, without tag and size
//
// Views trust their bytes: make them from what this room built or from what the store's checksums vouch for; bytes
// from elsewhere go through is_valid_item().
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.h"

namespace tidemill::lang::dynamodb {

using base::Decimal;

inline constexpr int kDepthMax = 32;                    // levels of nesting; an attribute's own value is the first
inline constexpr size_t kItemSizeMax = 400 * 1024;      // by item_size()
inline constexpr size_t kAttributeNameSizeMax = 65535;  // bytes

enum class Type : uint8_t { S, N, B, BOOL, NUL, L, M, SS, NS, BS };

// "S", "NULL", …: as in DynamoDB JSON and in attribute_type().
[[nodiscard]] std::string_view type_name(Type type);
[[nodiscard]] std::optional<Type> type_from_name(std::string_view name);

namespace detail {

enum Tag : char {
  kNul = 0x01,
  kFalse,
  kTrue,
  kNumber,
  kString,
  kBinary,
  kList,
  kMap,
  kStringSet,
  kNumberSet,
  kBinarySet
};

inline constexpr size_t kContainerHeaderSize = 5;  // tag and size

inline uint32_t read_varint(const char*& at) {
  uint32_t value = static_cast<uint8_t>(*at++);
  if (value < 0x80) return value;
  value &= 0x7f;
  for (int shift = 7;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

inline uint32_t read_u32(const char* at) {
  uint32_t value;
  __builtin_memcpy(&value, at, sizeof(value));
  return value;
}

// The size of the value that begins at `at`, with its tag.
inline size_t value_size_at(const char* at) {
  switch (static_cast<Tag>(*at)) {
    case kNul:
    case kFalse:
    case kTrue:
      return 1;
    case kNumber:
      return 2 + static_cast<uint8_t>(at[1]);
    case kString:
    case kBinary: {
      const char* payload = at + 1;
      const uint32_t size = read_varint(payload);
      return static_cast<size_t>(payload - at) + size;
    }
    default:
      return kContainerHeaderSize + read_u32(at + 1);
  }
}

inline std::string_view read_sized(const char*& at) {
  const uint32_t size = read_varint(at);
  const std::string_view bytes(at, size);
  at += size;
  return bytes;
}

}  // namespace detail

class ValueView;
struct Member;

// What a `for` needs to walk the entries of a container; `Read` takes one entry off the front.
template <class Entry, Entry (*Read)(const char*& at)>
class EntryRange {
 public:
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const char* at, const char* end) : at_(at), end_(end) {}
    Entry operator*() const {
      const char* at = at_;
      return Read(at);
    }
    Iterator& operator++() {
      (void)Read(at_);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return at_ == end_; }

   private:
    const char* at_ = nullptr;
    const char* end_ = nullptr;
  };

  explicit EntryRange(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] Iterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size()}; }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

namespace detail {
ValueView read_value(const char*& at);
Member read_member(const char*& at);
}  // namespace detail

using ElementRange = EntryRange<ValueView, detail::read_value>;
using MemberRange = EntryRange<Member, detail::read_member>;
// Elements of a set: text, bytes or Decimal encoding.
using SetRange = EntryRange<std::string_view, detail::read_sized>;

// One value inside bytes that somebody else owns.
class ValueView {
 public:
  // `bytes` begin with a value and may go on behind it.
  explicit ValueView(std::string_view bytes) : data_(bytes.data()) {}
  explicit ValueView(const char* at) : data_(at) {}

  [[nodiscard]] Type type() const {
    static constexpr Type kTypes[] = {Type::NUL, Type::NUL, Type::BOOL, Type::BOOL, Type::N,  Type::S,
                                      Type::B,   Type::L,   Type::M,    Type::SS,   Type::NS, Type::BS};
    return kTypes[static_cast<uint8_t>(*data_)];
  }
  [[nodiscard]] std::string_view encoded() const { return {data_, detail::value_size_at(data_)}; }

  // Each of the following only for the types it names.
  [[nodiscard]] std::string_view string() const {  // S: UTF-8; B: bytes
    const char* at = data_ + 1;
    return detail::read_sized(at);
  }
  [[nodiscard]] std::string_view number_encoded() const {  // N
    return {data_ + 2, static_cast<uint8_t>(data_[1])};
  }
  [[nodiscard]] Decimal number() const { return Decimal::from_encoded(number_encoded()); }  // N
  [[nodiscard]] bool boolean() const { return *data_ == detail::kTrue; }                    // BOOL
  [[nodiscard]] ElementRange elements() const;                                              // L
  [[nodiscard]] MemberRange members() const;                                                // M
  [[nodiscard]] SetRange set_elements() const { return SetRange(contents()); }              // SS, NS, BS
  [[nodiscard]] std::optional<ValueView> find(std::string_view name) const;                 // M
  [[nodiscard]] std::optional<ValueView> at(size_t index) const;                            // L
  [[nodiscard]] bool set_contains(std::string_view element) const;                          // SS, NS, BS

  // What stands behind tag and size: of L, M and the sets.
  [[nodiscard]] std::string_view contents() const {
    return {data_ + detail::kContainerHeaderSize, detail::read_u32(data_ + 1)};
  }
  // Elements or members of L, M and the sets. Linear.
  [[nodiscard]] size_t count() const;

  // Equality as DynamoDB has it: numbers by value, maps and sets in any order.
  friend bool operator==(ValueView a, ValueView b) { return a.encoded() == b.encoded(); }

 private:
  const char* data_;
};

struct Member {
  std::string_view name;
  ValueView value;
};

namespace detail {
inline ValueView read_value(const char*& at) {
  const ValueView value(at);
  at += value_size_at(at);
  return value;
}
inline Member read_member(const char*& at) {
  const std::string_view name = read_sized(at);
  return {name, read_value(at)};
}
}  // namespace detail

inline ElementRange ValueView::elements() const { return ElementRange(contents()); }
inline MemberRange ValueView::members() const { return MemberRange(contents()); }

// The order of two S, two N or two B; unordered for other types and for different ones.
[[nodiscard]] std::partial_ordering compare(ValueView a, ValueView b);

// A value that owns its bytes.
class Value {
 public:
  Value() : Value(null()) {}
  explicit Value(ValueView view) : bytes_(view.encoded()) {}
  // `bytes` are exactly one encoded value.
  static Value from_encoded(std::string bytes) {
    Value value{Uninitialized{}};
    value.bytes_ = std::move(bytes);
    return value;
  }

  static Value string(std::string_view text);
  static Value binary(std::string_view bytes);
  static Value number(const Decimal& number);
  static Value number(int64_t number) { return Value::number(Decimal(number)); }
  static Value boolean(bool value);
  static Value null();
  static Value list(const std::vector<Value>& elements);
  // Sorts; of members with one name the last counts.
  static Value map(std::vector<std::pair<std::string, Value>> members);
  // Sort and drop duplicates; `elements` must not be empty.
  static Value string_set(std::vector<std::string> elements);
  static Value binary_set(std::vector<std::string> elements);
  static Value number_set(std::vector<Decimal> elements);

  [[nodiscard]] ValueView view() const { return ValueView(bytes_.data()); }
  operator ValueView() const { return view(); }
  [[nodiscard]] const std::string& encoded() const { return bytes_; }
  [[nodiscard]] Type type() const { return view().type(); }

  friend bool operator==(const Value& a, const Value& b) { return a.bytes_ == b.bytes_; }

 private:
  struct Uninitialized {};
  explicit Value(Uninitialized) {}
  std::string bytes_;
};

// The attributes of an item, inside bytes that somebody else owns.
class ItemView {
 public:
  ItemView() = default;
  explicit ItemView(std::string_view encoded) : bytes_(encoded) {}
  // The members of a value of type M.
  static ItemView of_map(ValueView map) { return ItemView(map.contents()); }

  [[nodiscard]] std::optional<ValueView> find(std::string_view name) const;
  [[nodiscard]] MemberRange members() const { return MemberRange(bytes_); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  // Linear.
  [[nodiscard]] size_t count() const;
  [[nodiscard]] std::string_view encoded() const { return bytes_; }

  friend bool operator==(ItemView a, ItemView b) { return a.bytes_ == b.bytes_; }

 private:
  std::string_view bytes_;
};

// The attributes of an item, owned.
class Item {
 public:
  Item() = default;
  explicit Item(ItemView view) : bytes_(view.encoded()) {}
  // `bytes` are an encoded item.
  static Item from_encoded(std::string bytes) {
    Item item;
    item.bytes_ = std::move(bytes);
    return item;
  }
  // In any order; of attributes with one name the last counts.
  Item(std::initializer_list<std::pair<std::string_view, Value>> attributes);

  [[nodiscard]] ItemView view() const { return ItemView(bytes_); }
  operator ItemView() const { return view(); }
  [[nodiscard]] const std::string& encoded() const& { return bytes_; }
  [[nodiscard]] std::string encoded() && { return std::move(bytes_); }
  [[nodiscard]] std::optional<ValueView> find(std::string_view name) const { return view().find(name); }
  [[nodiscard]] MemberRange members() const { return view().members(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  // Sets or replaces an attribute. `value` must not lie inside this item.
  void set(std::string_view name, ValueView value);
  // False: there was none.
  bool remove(std::string_view name);

  friend bool operator==(const Item& a, const Item& b) { return a.bytes_ == b.bytes_; }

 private:
  std::string bytes_;
};

// An item and the DynamoDB JSON that it was read from, which tells "1000" from "1e3".
struct SpelledItem {
  Item item;
  std::string spelling;
};

// ExpressionAttributeValues: placeholders such as ":x" in place of names.
using AttributeValues = Item;

// Collects members in any order and appends them to a buffer in canonical order.
class MembersBuilder {
 public:
  // Of members with one name the last counts.
  void add(std::string_view name, ValueView value) { members_.push_back({name, value}); }
  // Names and values must live until then.
  void append_to(std::string& out);
  [[nodiscard]] Item build_item();

 private:
  std::vector<Member> members_;
};

// Sizes by AWS's rules (developer guide, "DynamoDB item sizes and formats"): UTF-8 and raw bytes; a number is half its
// significant digits before the point, rounded up, + half of those behind it, rounded up (the guide leaves this out), + 1,
// and + 1 if negative; BOOL and NULL 1; L and M 3 + 1 for each entry + contents; an attribute is its name + its value.
[[nodiscard]] size_t value_size(ValueView value);
[[nodiscard]] size_t attribute_size(std::string_view name, ValueView value);
[[nodiscard]] size_t item_size(ItemView item);

// Levels of nesting: 1 for what holds nothing, else one more than the deepest entry of the list or map.
[[nodiscard]] int depth(ValueView value);

// Whether bytes from outside are a well-formed encoding; for checks and tests, not for every read.
[[nodiscard]] bool is_valid_value(std::string_view bytes);
[[nodiscard]] bool is_valid_item(std::string_view bytes);

}  // namespace tidemill::lang::dynamodb

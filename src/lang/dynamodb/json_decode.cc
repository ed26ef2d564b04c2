#include "lang/dynamodb/json_decode.h"

#include <algorithm>
#include <compare>
#include <set>
#include <vector>

#include "base/base64.h"
#include "lang/dynamodb/json_cursor.h"
#include "lang/dynamodb/json_entries.h"
#include "lang/dynamodb/json_refusals.h"

namespace tidemill::lang::dynamodb::detail {
namespace {

using Kind = JsonCursor::Kind;

std::string_view read_string(JsonCursor& json) {
  if (json.kind() != Kind::string) refuse_scalar(json, "java.lang.String", "String");
  return json.string();
}

bool read_boolean(JsonCursor& json) {
  if (json.kind() != Kind::boolean) refuse_scalar(json, "java.lang.Boolean", "Boolean");
  return json.boolean();
}

std::string_view read_base64_text(JsonCursor& json) {
  const Kind kind = json.kind();
  if (kind == Kind::array || kind == Kind::object) refuse_scalar(json, "java.nio.ByteBuffer", {});
  if (kind != Kind::string) refuse_json("only base-64-encoded strings are convertible to bytes");
  return json.string();
}

void check_list(JsonCursor& json) {
  const Kind kind = json.kind();
  if (kind == Kind::object) refuse_json("Start of structure or map found where not expected");
  if (kind != Kind::array) refuse_json("Unexpected field type");
}

void check_map(JsonCursor& json) {
  const Kind kind = json.kind();
  if (kind == Kind::array) {
    refuse_json(
        "Unrecognized collection type java.util.Map<java.lang.String, "
        "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  }
  if (kind != Kind::object) refuse_json("Unexpected field type");
}

Decimal read_number(JsonCursor& json) {
  const std::string_view text = read_string(json);
  const auto number = Decimal::parse(text);
  if (!number) refuse_number(number.error(), text);
  return *number;
}

// Encodes into its own buffer; of each container the entries are brought into canonical order when it ends.
class Decoder {
 public:
  // The text outlives this, and kPadding bytes behind it can be read.
  // Deep ones nest up to kDepthReadMax levels, and have empty names inside of maps.
  explicit Decoder(std::string_view json, bool deep = false)
      : json_(json), depth_max_(deep ? kDepthReadMax : kDepthMax) {}

  void value(int depth) {
    if (depth > depth_max_) refuse_around(kNestedTooDeeply);
    const Kind kind = json_.kind();
    if (kind == Kind::array) {
      refuse_json("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
    }
    if (kind == Kind::null) refuse_empty();
    if (kind != Kind::object) refuse_json("Unexpected value type in payload");
    bool any = false;
    for (bool more = json_.begin('{', '}'); more; more = json_.next('}')) {
      const char letter = json_.letter_name();
      const std::optional<Type> type = letter != '\0' ? type_from_letter(letter) : type_from_name(json_.name());
      if (!type || json_.kind() == Kind::null) {
        json_.skip();
        continue;
      }
      if (std::exchange(any, true)) {
        refuse(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
            "datatypes");
      }
      typed(*type, depth);
    }
    if (!any) refuse_empty();
  }

  // An item's attributes, appended to `item`.
  void item(std::string& item) {
    try {
      members(1);
    } catch (ValueError& error) {
      error.say_where(attribute_);
      throw;
    }
    finish(item);
  }

  // ExpressionAttributeValues, likewise.
  void attribute_values(std::string& values) {
    check_map(json_);
    for (bool more = json_.begin('{', '}'); more; more = json_.next('}')) {
      const std::string_view name = json_.name();
      try {
        member(name, 1);
      } catch (const ValueError& error) {
        if (error.kind() == ValueError::Kind::serialization) throw;
        refuse("ExpressionAttributeValues contains invalid value: " + std::string(error.what()) + " for key " +
               std::string(name));
      }
    }
    finish(values);
  }

  [[nodiscard]] std::string_view encoded() { return {out_.data(), out_.size()}; }

 private:
  // Appends the members, sorted, to `item`.
  void finish(std::string& item) {
    const size_t count = sort(0);
    const size_t size_before = item.size();
    size_t size = size_before;
    for (size_t i = 0; i < count; ++i) size += entries_.at(i)->end - entries_.at(i)->begin;
    item.resize_and_overwrite(size, [&](char* data, size_t) {
      char* to = data + size_before;
      for (size_t i = 0; i < count; ++i) to = copy(to, *entries_.at(i));
      return size;
    });
  }

  [[noreturn]] static void refuse_empty() {
    refuse("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }

  static std::optional<Type> type_from_letter(char letter) {
    switch (letter) {
      case 'S':
        return Type::S;
      case 'N':
        return Type::N;
      case 'B':
        return Type::B;
      case 'M':
        return Type::M;
      case 'L':
        return Type::L;
      default:
        return std::nullopt;
    }
  }

  void typed(Type type, int depth) {
    switch (type) {
      case Type::S: {
        const std::string_view text = read_string(json_);
        out_.byte(kString);
        return out_.sized_padded(text);
      }
      case Type::N: {
        const Decimal number = read_number(json_);
        out_.byte(kNumber);
        return out_.sized(number.encoded());  // sizes below 128 are the same as varint
      }
      case Type::B:
        out_.byte(kBinary);
        return binary();
      case Type::BOOL:
        return out_.byte(read_boolean(json_) ? kTrue : kFalse);
      case Type::NUL:
        if (!read_boolean(json_)) refuse_parameter("Null attribute value types must have the value of true");
        return out_.byte(kNul);
      case Type::L:
        return list(depth + 1);
      case Type::M:
        return map(depth + 1);
      case Type::SS:
        return string_set();
      case Type::NS:
        return number_set();
      case Type::BS:
        return binary_set();
    }
  }

  uint32_t open(Tag tag) {
    const uint32_t place = out_.size();
    char* const at = out_.room(kContainerHeaderSize);
    *at = tag;
    out_.advance(at + kContainerHeaderSize);
    return place;
  }

  void close(uint32_t place) {
    const auto size = static_cast<uint32_t>(out_.size() - place - kContainerHeaderSize);
    std::memcpy(out_.data() + place + 1, &size, sizeof(size));
  }

  void members(int depth) {
    check_map(json_);
    for (bool more = json_.begin('{', '}'); more; more = json_.next('}')) {
      const std::string_view name = json_.name();
      if (depth == 1) attribute_ = name;
      if (name.empty() && (depth == 1 || depth_max_ == kDepthMax)) refuse_around("Empty attribute name");
      if (name.size() > kAttributeNameSizeMax) {
        refuse_around(
            "One or more parameter values were invalid: Attribute name is too large, must be less than 65536 bytes");
      }
      member(name, depth);
    }
  }

  void member(std::string_view name, int depth) {
    const uint32_t begin = out_.size();
    out_.sized_padded(name);
    const uint32_t key_end = out_.size();
    value(depth);
    const auto key_size = static_cast<uint32_t>(name.size());
    entries_.push({begin, out_.size(), key_end - key_size, key_size, prefix_of(name)});
  }

  void map(int depth) {
    const uint32_t place = open(kMap);
    const size_t first = entries_.size();
    members(depth);
    reorder(first);
    close(place);
  }

  void list(int depth) {
    const uint32_t place = open(kList);
    check_list(json_);
    for (bool more = json_.begin('[', ']'); more; more = json_.next(']')) value(depth);
    close(place);
  }

  // The bytes of a base64 text, behind their size.
  void binary() {
    const std::string_view text = read_base64_text(json_);
    scratch_.clear();
    if (!base::append_base64_decoded(scratch_, text)) refuse_base64(text);
    out_.sized(scratch_);
  }

  // `append` appends one element behind its size.
  template <class Append>
  void set_elements(Append append) {
    check_list(json_);
    for (bool more = json_.begin('[', ']'); more; more = json_.next(']')) {
      const uint32_t begin = out_.size();
      append();
      const uint32_t end = out_.size();
      (void)out_.room(kPadding);
      const char* at = out_.data() + begin;
      const uint32_t size = read_varint(at);
      entries_.push({begin, end, end - size, size, prefix_of({at, size})});
    }
  }

  void string_set() {
    const uint32_t place = open(kStringSet);
    const size_t first = entries_.size();
    set_elements([&] { out_.sized_padded(read_string(json_)); });
    if (entries_.size() == first) refuse_parameter("An string set  may not be empty", true);
    if (has_duplicates(first)) {
      const auto text = [](std::string_view each) { return std::string(each); };
      refuse_duplicates("One or more parameter values were invalid: Input collection " + listing(first, text) +
                            " contains duplicates.",
                        newer_listing(first, ", ", text) + " contains duplicates.");
    }
    reorder(first);
    close(place);
  }

  void number_set() {
    const uint32_t place = open(kNumberSet);
    const size_t first = entries_.size();
    set_elements([&] { out_.sized(read_number(json_).encoded()); });
    if (entries_.size() == first) refuse_parameter("An number set  may not be empty", true);
    if (has_duplicates(first)) refuse_duplicates("Input collection contains duplicates", "contains duplicates.");
    reorder(first);
    close(place);
  }

  void binary_set() {
    const uint32_t place = open(kBinarySet);
    const size_t first = entries_.size();
    set_elements([&] { binary(); });
    if (entries_.size() == first) refuse_parameter("Binary sets should not be empty");
    if (has_duplicates(first)) {
      refuse_duplicates("One or more parameter values were invalid: Input collection " +
                            listing(first, base::base64_encode) + "of type BS contains duplicates.",
                        newer_listing(first, ",", base::base64_encode) + "of type BS contains duplicates.");
    }
    reorder(first);
    close(place);
  }

  std::string_view key(const Entry& entry) { return {out_.data() + entry.key_begin, entry.key_size}; }

  std::strong_ordering order(const Entry& a, const Entry& b) {
    return a.key_prefix != b.key_prefix ? a.key_prefix <=> b.key_prefix : key(a) <=> key(b);
  }

  // Whether two entries since `first` are equal; their order stays, for the message that lists them.
  bool has_duplicates(size_t first) {
    std::vector<std::string_view> keys;
    for (size_t i = first; i < entries_.size(); ++i) keys.push_back(key(*entries_.at(i)));
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
  }

  template <class Text>
  std::string listing(size_t first, Text text) {
    std::string list = "[";
    for (size_t i = first; i < entries_.size(); ++i) {
      if (i != first) list += ", ";
      list += text(key(*entries_.at(i)));
    }
    return list + "]";
  }

  // The same in quotes, as AWS has it since 2026: in order up to the first repeat, which follows, and then the rest as
  // it came.
  template <class Text>
  std::string newer_listing(size_t first, std::string_view between, Text text) {
    std::set<std::string_view> seen;
    size_t repeat = first;
    while (repeat < entries_.size() && seen.insert(key(*entries_.at(repeat))).second) ++repeat;
    std::vector<std::string_view> members(seen.begin(), seen.end());
    for (size_t i = repeat; i < entries_.size(); ++i) members.push_back(key(*entries_.at(i)));
    std::string list;
    for (const std::string_view member : members) {
      if (!list.empty()) list += between;
      list += '"' + text(member) + '"';
    }
    return "[" + list + "]";
  }

  // Sorts the entries since `first` by key; of those with equal keys the last one stays. Returns how many there are.
  size_t sort(size_t first) {
    Entry* const begin = entries_.at(first);
    Entry* const end = entries_.at(entries_.size());
    bool sorted = true;
    for (const Entry* entry = begin; sorted && entry + 1 < end; ++entry) sorted = order(entry[0], entry[1]) < 0;
    if (sorted) return static_cast<size_t>(end - begin);
    std::sort(begin, end, [&](const Entry& a, const Entry& b) {
      const std::strong_ordering compared = order(a, b);
      return compared != 0 ? compared < 0 : a.begin < b.begin;
    });
    Entry* kept = begin;
    for (const Entry* entry = begin; entry < end; ++entry) {
      if (entry + 1 == end || order(entry[0], entry[1]) != 0) *kept++ = *entry;
    }
    return static_cast<size_t>(kept - begin);
  }

  char* copy(char* to, const Entry& entry) {
    const size_t size = entry.end - entry.begin;
    std::memcpy(to, out_.data() + entry.begin, size);
    return to + size;
  }

  // Brings the entries since `first`, which end the buffer, into canonical order and drops them from the stack.
  void reorder(size_t first) {
    if (entries_.size() == first) return;
    const uint32_t begin = entries_.at(first)->begin;
    const size_t before = entries_.size() - first;
    const size_t count = sort(first);
    bool moved = count != before;
    for (size_t i = first, at = begin; !moved && i < first + count; at = entries_.at(i++)->end) {
      moved = entries_.at(i)->begin != at;
    }
    if (moved) {
      scratch_.clear();
      for (size_t i = first; i < first + count; ++i) {
        scratch_.append(out_.data() + entries_.at(i)->begin, entries_.at(i)->end - entries_.at(i)->begin);
      }
      out_.resize_down(begin);
      out_.append(scratch_.data(), scratch_.size());
    }
    entries_.pop_to(first);
  }

  JsonCursor json_;
  const int depth_max_;
  std::string_view attribute_;  // the item's that is being read
  Buffer out_;
  EntryStack entries_;
  std::string scratch_;
};

}  // namespace

void decode_value_text(std::string_view json, std::string& out) {
  Decoder decoder(json);  // not value-initialized: that would fill its buffers with zeros
  decoder.value(1);
  out.append(decoder.encoded());
}

void decode_item_text(std::string_view json, std::string& out) {
  Decoder decoder(json);
  decoder.item(out);
}

void decode_deep_item_text(std::string_view json, std::string& out) {
  Decoder decoder(json, true);
  decoder.item(out);
}

void decode_attribute_values_text(std::string_view json, std::string& out) {
  Decoder decoder(json);
  decoder.attribute_values(out);
}

}  // namespace tidemill::lang::dynamodb::detail

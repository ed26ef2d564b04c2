#include "lang/dynamodb/json_codec_simdjson.h"

#include <algorithm>
#include <vector>

#include "base/base64.h"
#include "lang/dynamodb/buffer.h"

namespace tidemill::lang::dynamodb {

using namespace detail;
using simdjson::ondemand::json_type;

namespace {

[[noreturn]] void refuse(const std::string& message, bool prefixed = false) {
  throw ValueError(ValueError::Kind::validation, message, prefixed);
}

[[noreturn]] void refuse_parameter(const std::string& message, bool prefixed = false) {
  refuse("One or more parameter values were invalid: " + message, prefixed);
}

[[noreturn]] void refuse_json(const std::string& message) {
  throw ValueError(ValueError::Kind::serialization, message);
}

constexpr const char* kStructureNotExpected = "Start of structure or map found where not expected";

// "NUMBER_VALUE", …: what AWS's parser calls a JSON scalar.
std::string scalar_token(simdjson::ondemand::value json, json_type type) {
  if (type == json_type::boolean) return json.get_bool().value() ? "TRUE_VALUE" : "FALSE_VALUE";
  if (type == json_type::string) return "STRING_VALUE";
  const std::string_view text = json.raw_json_token();
  return text.find_first_of(".eE") != std::string_view::npos ? "DECIMAL_VALUE" : "NUMBER_VALUE";
}

// What a JSON string says: straight from the document if it has no escapes.
std::string_view string_text(simdjson::ondemand::value json) {
  std::string_view raw = json.raw_json_token();
  while (raw.back() == ' ' || raw.back() == '\n' || raw.back() == '\r' || raw.back() == '\t') raw.remove_suffix(1);
  if (raw.size() >= 2 && raw.back() == '"') {
    const std::string_view text = raw.substr(1, raw.size() - 2);
    if (std::memchr(text.data(), '\\', text.size()) == nullptr) {
      (void)json.get_raw_json_string().value();  // moves on
      return text;
    }
  }
  return json.get_string();
}

// A JSON string where the shape has String; anything else is refused with AWS's words.
std::string_view read_string(simdjson::ondemand::value json) {
  const json_type type = json.type();
  if (type == json_type::string) return string_text(json);
  if (type == json_type::array) refuse_json("Unrecognized collection type class java.lang.String");
  if (type == json_type::object) refuse_json(kStructureNotExpected);
  refuse_json(scalar_token(json, type) + " cannot be converted to String");
}

std::string_view read_base64_text(simdjson::ondemand::value json) {
  const json_type type = json.type();
  if (type == json_type::string) return string_text(json);
  if (type == json_type::array) refuse_json("Unrecognized collection type class java.nio.ByteBuffer");
  if (type == json_type::object) refuse_json(kStructureNotExpected);
  refuse_json("only base-64-encoded strings are convertible to bytes");
}

[[noreturn]] void refuse_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    refuse_json("Base64 encoded length is expected a multiple of 4 bytes but found: " + std::to_string(text.size()));
  }
  constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  const size_t invalid = text.find_first_not_of(kCharacters);
  if (invalid != std::string_view::npos) {
    refuse_json("Invalid Base64 character: '" + std::string(text.substr(invalid, 1)) + "'");
  }
  refuse_json("Invalid last non-pad Base64 character dectected");  // AWS's spelling
}

bool read_boolean(simdjson::ondemand::value json) {
  const json_type type = json.type();
  if (type == json_type::boolean) return json.get_bool();
  if (type == json_type::array) refuse_json("Unrecognized collection type class java.lang.Boolean");
  if (type == json_type::object) refuse_json(kStructureNotExpected);
  if (type == json_type::string) refuse_json("Unexpected token received from parser");
  refuse_json(scalar_token(json, type) + " cannot be converted to Boolean");
}

simdjson::ondemand::array read_list(simdjson::ondemand::value json) {
  const json_type type = json.type();
  if (type == json_type::array) return json.get_array();
  if (type == json_type::object) refuse_json(kStructureNotExpected);
  refuse_json("Unexpected field type");
}

simdjson::ondemand::object read_map(simdjson::ondemand::value json) {
  const json_type type = json.type();
  if (type == json_type::object) return json.get_object();
  if (type == json_type::array) {
    refuse_json(
        "Unrecognized collection type java.util.Map<java.lang.String, "
        "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  }
  refuse_json("Unexpected field type");
}

Decimal read_number(simdjson::ondemand::value json) {
  const std::string_view text = read_string(json);
  const auto number = Decimal::parse(text);
  if (!number) refuse(base::decimal_error_message(number.error(), text));
  return *number;
}

// A member's name: straight from the document if it has no escapes.
std::string_view name_text(simdjson::ondemand::field& field) {
  const char* const begin = field.key().raw();
  const char* at = begin;
  while (*at != '"' && *at != '\\') ++at;
  if (*at == '"') return {begin, static_cast<size_t>(at - begin)};
  return field.unescaped_key();
}

// Where one entry of a container stands in the buffer, and the part of it that gives its order: a member's name, a
// set's element.
struct Entry {
  uint32_t begin;
  uint32_t end;
  uint32_t key_begin;
  uint32_t key_size;
};

// The entries of the containers that are open, innermost last.
class EntryStack {
 public:
  EntryStack() = default;
  EntryStack(const EntryStack&) = delete;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] Entry* at(size_t index) { return data_ + index; }
  void push(const Entry& entry) {
    if (size_ == capacity_) grow();
    data_[size_++] = entry;
  }
  void pop_to(size_t size) { size_ = size; }

 private:
  static constexpr size_t kInlineSize = 64;

  void grow() {
    std::vector<Entry> heap(capacity_ * 2);
    std::copy_n(data_, size_, heap.data());
    heap_ = std::move(heap);
    data_ = heap_.data();
    capacity_ = heap_.size();
  }

  Entry* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = kInlineSize;
  std::vector<Entry> heap_;
  Entry inline_[kInlineSize];
};

// Encodes into its own buffer; of each container the entries are brought into canonical order when it ends.
class Decoder {
 public:
  void value(simdjson::ondemand::value json, int depth) {
    if (depth > kDepthMax) refuse(kNestedTooDeeply);
    const json_type type = json.type();
    if (type == json_type::array) {
      refuse_json("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
    }
    if (type == json_type::null) refuse_empty();
    if (type != json_type::object) refuse_json("Unexpected value type in payload");
    bool any = false;
    for (simdjson::ondemand::field field : json.get_object()) {
      const char* const key = field.key().raw();
      simdjson::ondemand::value content = field.value();
      if (!is_type_key(key) || content.is_null()) continue;
      if (std::exchange(any, true)) {
        refuse(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
            "datatypes");
      }
      typed(key, content, depth);
    }
    if (!any) refuse_empty();
  }

  // An item's attributes, appended to `item`.
  void item(simdjson::ondemand::object object, std::string& item) {
    members(object, 1);
    finish(item);
  }

  // ExpressionAttributeValues, likewise.
  void attribute_values(simdjson::ondemand::object object, std::string& values) {
    for (simdjson::ondemand::field field : object) {
      const std::string_view name = name_text(field);
      try {
        member(name, field.value(), 1);
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

  // `key` is the raw JSON text behind the opening quote. What ends it, the colon and the value follow, so that five
  // characters can be read.
  static bool is_type_key(const char* key) {
    if (key[1] == '"') return key[0] == 'S' || key[0] == 'N' || key[0] == 'B' || key[0] == 'M' || key[0] == 'L';
    if (key[1] == 'S' && key[2] == '"') return key[0] == 'S' || key[0] == 'N' || key[0] == 'B';
    const std::string_view word(key, 4);
    return (word == "BOOL" || word == "NULL") && key[4] == '"';
  }

  void typed(const char* key, simdjson::ondemand::value json, int depth) {
    if (key[1] == '"') {
      switch (key[0]) {
        case 'S':
          out_.byte(kString);
          return out_.sized(read_string(json));
        case 'N':
          out_.byte(kNumber);
          return out_.sized(read_number(json).encoded());  // sizes below 128 are the same as varint
        case 'B':
          out_.byte(kBinary);
          return binary(json);
        case 'M':
          return map(json, depth + 1);
        default:
          return list(json, depth + 1);
      }
    }
    if (key[1] == 'S') {
      if (key[0] == 'S') return string_set(json);
      return key[0] == 'N' ? number_set(json) : binary_set(json);
    }
    if (key[0] == 'B') return out_.byte(read_boolean(json) ? kTrue : kFalse);
    if (!read_boolean(json)) refuse_parameter("Null attribute value types must have the value of true");
    out_.byte(kNul);
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

  void members(simdjson::ondemand::object object, int depth) {
    for (simdjson::ondemand::field field : object) {
      const std::string_view name = name_text(field);
      if (name.empty()) refuse("Empty attribute name");
      member(name, field.value(), depth);
    }
  }

  void member(std::string_view name, simdjson::ondemand::value json, int depth) {
    const uint32_t begin = out_.size();
    out_.sized(name);
    const uint32_t key_end = out_.size();
    value(json, depth);
    const auto key_size = static_cast<uint32_t>(name.size());
    entries_.push({begin, out_.size(), key_end - key_size, key_size});
  }

  void map(simdjson::ondemand::value json, int depth) {
    const uint32_t place = open(kMap);
    const size_t first = entries_.size();
    members(read_map(json), depth);
    reorder(first);
    close(place);
  }

  void list(simdjson::ondemand::value json, int depth) {
    const uint32_t place = open(kList);
    for (auto element : read_list(json)) value(element.value(), depth);
    close(place);
  }

  // The bytes of a base64 text, behind their size.
  void binary(simdjson::ondemand::value json) {
    const std::string_view text = read_base64_text(json);
    scratch_.clear();
    if (!base::append_base64_decoded(scratch_, text)) refuse_base64(text);
    out_.sized(scratch_);
  }

  // `append` appends one element behind its size.
  template <class Append>
  void set_elements(simdjson::ondemand::value json, Append append) {
    for (auto element : read_list(json)) {
      const uint32_t begin = out_.size();
      append(element.value());
      const uint32_t end = out_.size();
      const char* at = out_.data() + begin;
      const uint32_t size = read_varint(at);
      entries_.push({begin, end, end - size, size});
    }
  }

  void string_set(simdjson::ondemand::value json) {
    const uint32_t place = open(kStringSet);
    const size_t first = entries_.size();
    set_elements(json, [&](simdjson::ondemand::value element) { out_.sized(read_string(element)); });
    if (entries_.size() == first) refuse_parameter("An string set  may not be empty", true);
    if (has_duplicates(first)) {
      refuse_parameter("Input collection " + listing(first, [](auto text) { return std::string(text); }) +
                       " contains duplicates.");
    }
    reorder(first);
    close(place);
  }

  void number_set(simdjson::ondemand::value json) {
    const uint32_t place = open(kNumberSet);
    const size_t first = entries_.size();
    set_elements(json, [&](simdjson::ondemand::value element) { out_.sized(read_number(element).encoded()); });
    if (entries_.size() == first) refuse_parameter("An number set  may not be empty", true);
    if (has_duplicates(first)) refuse("Input collection contains duplicates");
    reorder(first);
    close(place);
  }

  void binary_set(simdjson::ondemand::value json) {
    const uint32_t place = open(kBinarySet);
    const size_t first = entries_.size();
    set_elements(json, [&](simdjson::ondemand::value element) { binary(element); });
    if (entries_.size() == first) refuse_parameter("Binary sets should not be empty");
    if (has_duplicates(first)) {
      refuse_parameter("Input collection " + listing(first, base::base64_encode) + "of type BS contains duplicates.");
    }
    reorder(first);
    close(place);
  }

  std::string_view key(const Entry& entry) { return {out_.data() + entry.key_begin, entry.key_size}; }

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

  // Sorts the entries since `first` by key; of those with equal keys the last one stays. Returns how many there are.
  size_t sort(size_t first) {
    Entry* const begin = entries_.at(first);
    Entry* const end = entries_.at(entries_.size());
    bool sorted = true;
    for (const Entry* entry = begin; sorted && entry + 1 < end; ++entry) sorted = key(entry[0]) < key(entry[1]);
    if (sorted) return static_cast<size_t>(end - begin);
    std::sort(begin, end, [&](const Entry& a, const Entry& b) {
      const int compared = key(a).compare(key(b));
      return compared != 0 ? compared < 0 : a.begin < b.begin;
    });
    Entry* kept = begin;
    for (const Entry* entry = begin; entry < end; ++entry) {
      if (entry + 1 == end || key(entry[0]) != key(entry[1])) *kept++ = *entry;
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

  Buffer out_;
  EntryStack entries_;
  std::string scratch_;
};

template <class Read>
auto read_text(std::string_view text, Read read) {
  try {
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(text);
    simdjson::ondemand::document document = parser.iterate(padded);
    return read(document.get_value());
  } catch (const simdjson::simdjson_error&) {
    refuse_json("Unexpected token received from parser");
  }
}

}  // namespace

void decode_value(simdjson::ondemand::value json, std::string& out) {
  Decoder decoder;
  decoder.value(json, 1);
  out.append(decoder.encoded());
}

void decode_item(simdjson::ondemand::value json, std::string& out) {
  Decoder decoder;  // not Decoder(): that would fill its buffers with zeros
  decoder.item(read_map(json), out);
}

Value decode_value(simdjson::ondemand::value json) {
  std::string bytes;
  decode_value(json, bytes);
  return Value::from_encoded(std::move(bytes));
}

Item decode_item(simdjson::ondemand::value json) {
  std::string bytes;
  decode_item(json, bytes);
  return Item::from_encoded(std::move(bytes));
}

AttributeValues decode_attribute_values(simdjson::ondemand::value json) {
  std::string bytes;
  Decoder decoder;
  decoder.attribute_values(read_map(json), bytes);
  return AttributeValues::from_encoded(std::move(bytes));
}

Value value_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_value(json); });
}

Item item_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_item(json); });
}

AttributeValues attribute_values_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_attribute_values(json); });
}

}  // namespace tidemill::lang::dynamodb

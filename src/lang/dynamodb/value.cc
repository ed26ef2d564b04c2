#include "lang/dynamodb/value.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "lang/dynamodb/encoding.h"

namespace tidemill::lang::dynamodb {

using namespace detail;

namespace {

constexpr std::array<std::string_view, 10> kTypeNames = {"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};

std::optional<ValueView> find_member(MemberRange members, std::string_view name) {
  for (const Member member : members) {
    if (member.name == name) return member.value;
  }
  return std::nullopt;
}

template <class Range>
size_t count_of(Range range) {
  size_t count = 0;
  for (const auto entry : range) {
    (void)entry;
    ++count;
  }
  return count;
}

std::string encoded_set(Tag tag, std::vector<std::string> elements) {
  assert(!elements.empty());
  std::ranges::sort(elements);
  elements.erase(std::ranges::unique(elements).begin(), elements.end());
  std::string bytes;
  const size_t place = open_container(bytes, tag);
  for (const std::string& element : elements) append_sized(bytes, element);
  close_container(bytes, place);
  return bytes;
}

}  // namespace

size_t detail::number_size(const Decimal& number) {
  const int whole = number.whole_digits();
  const int fraction = number.digits() - whole;
  return static_cast<size_t>((whole + 1) / 2 + (fraction + 1) / 2) + 1 + (number.is_negative() ? 1 : 0);
}

std::string_view type_name(Type type) { return kTypeNames[static_cast<size_t>(type)]; }

std::optional<Type> type_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return std::nullopt;
  return static_cast<Type>(found - kTypeNames.begin());
}

// ---- Views ----

std::optional<ValueView> ValueView::find(std::string_view name) const { return find_member(members(), name); }

std::optional<ValueView> ValueView::at(size_t index) const {
  for (const ValueView element : elements()) {
    if (index-- == 0) return element;
  }
  return std::nullopt;
}

bool ValueView::set_contains(std::string_view element) const {
  for (const std::string_view present : set_elements()) {
    if (present == element) return true;
  }
  return false;
}

size_t ValueView::count() const {
  switch (type()) {
    case Type::L:
      return count_of(elements());
    case Type::M:
      return count_of(members());
    default:
      return count_of(set_elements());
  }
}

std::partial_ordering compare(ValueView a, ValueView b) {
  const Type type = a.type();
  if (type != b.type()) return std::partial_ordering::unordered;
  switch (type) {
    case Type::S:
    case Type::B:
      return a.string() <=> b.string();
    case Type::N:
      return a.number_encoded() <=> b.number_encoded();
    default:
      return std::partial_ordering::unordered;
  }
}

std::optional<ValueView> ItemView::find(std::string_view name) const { return find_member(members(), name); }

size_t ItemView::count() const { return count_of(members()); }

// ---- Values ----

Value Value::string(std::string_view text) {
  std::string bytes;
  append_text(bytes, kString, text);
  return from_encoded(std::move(bytes));
}

Value Value::binary(std::string_view content) {
  std::string bytes;
  append_text(bytes, kBinary, content);
  return from_encoded(std::move(bytes));
}

Value Value::number(const Decimal& number) {
  std::string bytes;
  append_number(bytes, number);
  return from_encoded(std::move(bytes));
}

Value Value::boolean(bool value) { return from_encoded(std::string(1, value ? kTrue : kFalse)); }

Value Value::null() { return from_encoded(std::string(1, kNul)); }

Value Value::list(const std::vector<Value>& elements) {
  std::string bytes;
  const size_t place = open_container(bytes, kList);
  for (const Value& element : elements) bytes.append(element.encoded());
  close_container(bytes, place);
  return from_encoded(std::move(bytes));
}

Value Value::map(std::vector<std::pair<std::string, Value>> members) {
  MembersBuilder builder;
  for (const auto& [name, value] : members) builder.add(name, value);
  std::string bytes;
  const size_t place = open_container(bytes, kMap);
  builder.append_to(bytes);
  close_container(bytes, place);
  return from_encoded(std::move(bytes));
}

Value Value::string_set(std::vector<std::string> elements) {
  return from_encoded(encoded_set(kStringSet, std::move(elements)));
}

Value Value::binary_set(std::vector<std::string> elements) {
  return from_encoded(encoded_set(kBinarySet, std::move(elements)));
}

Value Value::number_set(std::vector<Decimal> elements) {
  std::vector<std::string> encoded;
  encoded.reserve(elements.size());
  for (const Decimal& element : elements) encoded.emplace_back(element.encoded());
  return from_encoded(encoded_set(kNumberSet, std::move(encoded)));  // sizes below 128 are the same as varint
}

// ---- Items ----

Item::Item(std::initializer_list<std::pair<std::string_view, Value>> attributes) {
  MembersBuilder builder;
  for (const auto& [name, value] : attributes) builder.add(name, value);
  builder.append_to(bytes_);
}

void Item::set(std::string_view name, ValueView value) {
  std::string entry;
  append_member(entry, name, value);
  const char* at = bytes_.data();
  const char* const end = at + bytes_.size();
  while (at != end) {
    const char* const begin = at;
    const Member member = read_member(at);
    if (member.name < name) continue;
    const auto place = static_cast<size_t>(begin - bytes_.data());
    bytes_.replace(place, member.name == name ? static_cast<size_t>(at - begin) : 0, entry);
    return;
  }
  bytes_.append(entry);
}

bool Item::remove(std::string_view name) {
  const char* at = bytes_.data();
  const char* const end = at + bytes_.size();
  while (at != end) {
    const char* const begin = at;
    if (read_member(at).name != name) continue;
    bytes_.erase(static_cast<size_t>(begin - bytes_.data()), static_cast<size_t>(at - begin));
    return true;
  }
  return false;
}

void MembersBuilder::append_to(std::string& out) {
  std::vector<size_t> order(members_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int compared = members_[a].name.compare(members_[b].name);
    return compared != 0 ? compared < 0 : a < b;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    const Member& member = members_[order[i]];
    if (i + 1 < order.size() && member.name == members_[order[i + 1]].name) continue;
    append_member(out, member.name, member.value);
  }
}

Item MembersBuilder::build_item() {
  std::string bytes;
  append_to(bytes);
  return Item::from_encoded(std::move(bytes));
}

// ---- Sizes ----

size_t value_size(ValueView value) {
  switch (value.type()) {
    case Type::S:
    case Type::B:
      return value.string().size();
    case Type::N:
      return number_size(value.number());
    case Type::BOOL:
    case Type::NUL:
      return 1;
    case Type::L: {
      size_t size = kContainerOverhead;
      for (const ValueView element : value.elements()) size += kEntryOverhead + value_size(element);
      return size;
    }
    case Type::M: {
      size_t size = kContainerOverhead;
      for (const Member member : value.members()) size += kEntryOverhead + attribute_size(member.name, member.value);
      return size;
    }
    case Type::SS:
    case Type::BS: {
      size_t size = 0;
      for (const std::string_view element : value.set_elements()) size += element.size();
      return size;
    }
    case Type::NS:
      break;
  }
  size_t size = 0;
  for (const std::string_view element : value.set_elements()) size += number_size(Decimal::from_encoded(element));
  return size;
}

size_t attribute_size(std::string_view name, ValueView value) { return name.size() + value_size(value); }

size_t item_size(ItemView item) {
  size_t size = 0;
  for (const Member member : item.members()) size += attribute_size(member.name, member.value);
  return size;
}

int depth(ValueView value) {
  int deepest = 0;
  if (value.type() == Type::L) {
    for (const ValueView element : value.elements()) deepest = std::max(deepest, depth(element));
  } else if (value.type() == Type::M) {
    for (const Member member : value.members()) deepest = std::max(deepest, depth(member.value));
  }
  return deepest + 1;
}

// ---- Checking bytes ----

namespace {

// Reads from untrusted bytes; every step says whether it succeeded.
class Checker {
 public:
  explicit Checker(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }

  bool value(int depth) {
    if (rest_.empty() || depth > kDepthMax) return false;
    const char tag = rest_[0];
    rest_.remove_prefix(1);
    std::string_view content;
    switch (tag) {
      case kNul:
      case kFalse:
      case kTrue:
        return true;
      case kNumber:
        return number(content);
      case kString:
      case kBinary:
        return sized(content);
      case kList:
      case kMap:
      case kStringSet:
      case kNumberSet:
      case kBinarySet:
        break;
      default:
        return false;
    }
    if (rest_.size() < kContainerHeaderSize - 1) return false;
    const uint32_t size = read_u32(rest_.data());
    rest_.remove_prefix(kContainerHeaderSize - 1);
    if (size > rest_.size()) return false;
    Checker inside(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (tag == kList) return inside.list(depth + 1);
    if (tag == kMap) return inside.members(depth + 1);
    return inside.set(tag);
  }

  bool members(int depth) {
    std::string_view previous;
    for (bool first = true; !done(); first = false) {
      std::string_view name;
      if (!sized(name) || (!first && name <= previous) || !value(depth)) return false;
      previous = name;
    }
    return true;
  }

 private:
  bool list(int depth) {
    while (!done()) {
      if (!value(depth)) return false;
    }
    return true;
  }

  bool set(char tag) {
    if (done()) return false;
    std::string_view previous;
    for (bool first = true; !done(); first = false) {
      std::string_view element;
      if (!(tag == kNumberSet ? number(element) : sized(element)) || (!first && element <= previous)) return false;
      previous = element;
    }
    return true;
  }

  bool sized(std::string_view& content) {
    uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      if (rest_.empty() || shift > 28) return false;
      const auto byte = static_cast<uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      size |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift != 0) return false;
        break;
      }
    }
    if (size > rest_.size()) return false;
    content = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  bool number(std::string_view& content) {
    if (!sized(content)) return false;
    std::string_view rest = content;
    return Decimal::decode(rest).has_value() && rest.empty();
  }

  std::string_view rest_;
};

}  // namespace

bool is_valid_value(std::string_view bytes) {
  Checker checker(bytes);
  return checker.value(1) && checker.done();
}

bool is_valid_item(std::string_view bytes) { return Checker(bytes).members(1); }

}  // namespace tidemill::lang::dynamodb

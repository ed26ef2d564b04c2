#include "lang/dynamodb/json_codec.h"

#include "base/base64.h"
#include "lang/dynamodb/buffer.h"
#include "lang/dynamodb/encoding.h"

namespace tidemill::lang::dynamodb {

using detail::JsonAppender;
using detail::kContainerOverhead;
using detail::kEntryOverhead;
using detail::number_size;

namespace {

// All return what they appended weighs by AWS's rules (value_size()).

size_t append_number(JsonAppender& out, std::string_view encoded) {
  const Decimal number = Decimal::from_encoded(encoded);
  char* at = out.room(Decimal::kTextSizeMax + 2);
  *at++ = '"';
  at = number.write_to(at);
  *at++ = '"';
  out.advance(at);
  return number_size(number);
}

size_t append_text(JsonAppender& out, std::string_view text) {
  out.string(text);
  return text.size();
}

size_t append_binary(JsonAppender& out, std::string_view bytes) {
  out.string(base::base64_encode(bytes));
  return bytes.size();
}

// A list of strings: what sets are.
size_t append_set(JsonAppender& out, ValueView set, size_t (*append)(JsonAppender&, std::string_view)) {
  size_t size = 0;
  char separator = '[';
  for (const std::string_view element : set.set_elements()) {
    out.byte(std::exchange(separator, ','));
    size += append(out, element);
  }
  out.byte(']');
  return size;
}

size_t append_value(JsonAppender& out, ValueView value);

// `overhead`: what each weighs beside name and value.
size_t append_members(JsonAppender& out, MemberRange members, size_t overhead) {
  size_t size = 0;
  char separator = '{';
  for (const Member member : members) {
    out.byte(std::exchange(separator, ','));
    out.string(member.name);
    out.byte(':');
    size += member.name.size() + overhead + append_value(out, member.value);
  }
  if (separator == '{') out.byte('{');
  out.byte('}');
  return size;
}

size_t append_elements(JsonAppender& out, ElementRange elements) {
  size_t size = kContainerOverhead;
  bool first = true;
  for (const ValueView element : elements) {
    if (!std::exchange(first, false)) out.byte(',');
    size += kEntryOverhead + append_value(out, element);
  }
  out.byte(']');
  return size;
}

size_t append_value(JsonAppender& out, ValueView value) {
  size_t size = 1;  // of BOOL and NULL
  switch (value.type()) {
    case Type::S:
      out.literal(R"({"S":)");
      size = append_text(out, value.string());
      break;
    case Type::N:
      out.literal(R"({"N":)");
      size = append_number(out, value.number_encoded());
      break;
    case Type::B:
      out.literal(R"({"B":)");
      size = append_binary(out, value.string());
      break;
    case Type::BOOL:
      value.boolean() ? out.literal(R"({"BOOL":true)") : out.literal(R"({"BOOL":false)");
      break;
    case Type::NUL:
      out.literal(R"({"NULL":true)");
      break;
    case Type::L:
      out.literal(R"({"L":[)");
      size = append_elements(out, value.elements());
      break;
    case Type::M:
      out.literal(R"({"M":)");
      size = kContainerOverhead + append_members(out, value.members(), kEntryOverhead);
      break;
    case Type::SS:
      out.literal(R"({"SS":)");
      size = append_set(out, value, append_text);
      break;
    case Type::NS:
      out.literal(R"({"NS":)");
      size = append_set(out, value, append_number);
      break;
    case Type::BS:
      out.literal(R"({"BS":)");
      size = append_set(out, value, append_binary);
      break;
  }
  out.byte('}');
  return size;
}

}  // namespace

void append_json(std::string& out, ValueView value) {
  JsonAppender appender(out);
  append_value(appender, value);
}

size_t append_json(std::string& out, ItemView item) {
  JsonAppender appender(out);
  return append_members(appender, item.members(), 0);
}

std::string to_json(ValueView value) {
  std::string text;
  append_json(text, value);
  return text;
}

std::string to_json(ItemView item) {
  std::string text;
  append_json(text, item);
  return text;
}

bool spelled_alike(const SpelledItem& a, const SpelledItem& b) {
  const auto one = json::parse(a.spelling);
  const auto other = json::parse(b.spelling);
  if (!one || !other) return false;
  for (const Member member : a.item.members()) {
    if (member.value.type() != Type::N) continue;
    const json::Value* const left = one->find(member.name);
    const json::Value* const right = other->find(member.name);
    if (!left || !right || left->find("N")->string() != right->find("N")->string()) return false;
  }
  return true;
}

}  // namespace tidemill::lang::dynamodb

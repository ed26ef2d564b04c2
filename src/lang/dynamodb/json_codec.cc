#include "lang/dynamodb/json_codec.h"

#include "base/base64.h"
#include "lang/dynamodb/buffer.h"

namespace tidemill::lang::dynamodb {

using detail::JsonAppender;

namespace {

void append_number(JsonAppender& out, std::string_view encoded) {
  char* at = out.room(Decimal::kTextSizeMax + 2);
  *at++ = '"';
  at = Decimal::from_encoded(encoded).write_to(at);
  *at++ = '"';
  out.advance(at);
}

void append_binary(JsonAppender& out, std::string_view bytes) { out.string(base::base64_encode(bytes)); }

// A list of strings: what sets are.
template <class Append>
void append_set(JsonAppender& out, ValueView set, Append append) {
  char separator = '[';
  for (const std::string_view element : set.set_elements()) {
    out.byte(std::exchange(separator, ','));
    append(element);
  }
  out.byte(']');
}

void append_value(JsonAppender& out, ValueView value);

void append_members(JsonAppender& out, MemberRange members) {
  char separator = '{';
  for (const Member member : members) {
    out.byte(std::exchange(separator, ','));
    out.string(member.name);
    out.byte(':');
    append_value(out, member.value);
  }
  if (separator == '{') out.byte('{');
  out.byte('}');
}

void append_value(JsonAppender& out, ValueView value) {
  switch (value.type()) {
    case Type::S:
      out.literal(R"({"S":)");
      out.string(value.string());
      break;
    case Type::N:
      out.literal(R"({"N":)");
      append_number(out, value.number_encoded());
      break;
    case Type::B:
      out.literal(R"({"B":)");
      append_binary(out, value.string());
      break;
    case Type::BOOL:
      value.boolean() ? out.literal(R"({"BOOL":true)") : out.literal(R"({"BOOL":false)");
      break;
    case Type::NUL:
      out.literal(R"({"NULL":true)");
      break;
    case Type::L: {
      out.literal(R"({"L":[)");
      bool first = true;
      for (const ValueView element : value.elements()) {
        if (!std::exchange(first, false)) out.byte(',');
        append_value(out, element);
      }
      out.byte(']');
      break;
    }
    case Type::M:
      out.literal(R"({"M":)");
      append_members(out, value.members());
      break;
    case Type::SS:
      out.literal(R"({"SS":)");
      append_set(out, value, [&](std::string_view element) { out.string(element); });
      break;
    case Type::NS:
      out.literal(R"({"NS":)");
      append_set(out, value, [&](std::string_view element) { append_number(out, element); });
      break;
    case Type::BS:
      out.literal(R"({"BS":)");
      append_set(out, value, [&](std::string_view element) { append_binary(out, element); });
      break;
  }
  out.byte('}');
}

}  // namespace

void append_json(std::string& out, ValueView value) {
  JsonAppender appender(out);
  append_value(appender, value);
}

void append_json(std::string& out, ItemView item) {
  JsonAppender appender(out);
  append_members(appender, item.members());
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

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/text.h"
#include "lang/dynamodb/ion_codec.h"

namespace tidemill::lang::dynamodb {

namespace {

bool is_identifier_start(unsigned char c) { return std::isalpha(c) || c == '_' || c == '$'; }

// Whether a name can stand without quotes. What begins with '$' could be read as the number of a symbol.
bool is_identifier(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kKeywords{"null", "true", "false", "nan"};
  if (name.empty() || name.front() == '$' || !is_identifier_start(static_cast<unsigned char>(name.front())))
    return false;
  if (std::ranges::find(kKeywords, name) != kKeywords.end()) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return is_identifier_start(c) || std::isdigit(c); });
}

void append_quoted(std::string& out, std::string_view text, char quote) {
  out.push_back(quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '\r') {
      out.append("\\r");
    } else if (c == '\t') {
      out.append("\\t");
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out.append("\\x").append(base::hex(static_cast<unsigned char>(c), 2));
    } else {
      out.push_back(c);
    }
  }
  out.push_back(quote);
}

// "103." and "6d2": an Ion number without point or exponent would be an integer.
void append_decimal(std::string& out, std::string_view encoded) {
  std::string text = Decimal::from_encoded(encoded).to_string();
  if (text.find('.') != std::string::npos) {
    out.append(text);
    return;
  }
  const size_t last = text.find_last_not_of('0');
  const size_t digits = last == std::string::npos ? text.size() : last + 1;
  out.append(text, 0, digits);
  if (digits == text.size())
    out.push_back('.');
  else
    out.append("d").append(std::to_string(text.size() - digits));
}

void append_blob(std::string& out, std::string_view bytes) {
  out.append("{{");
  base::append_base64(out, bytes);
  out.append("}}");
}

template <class Append>
void append_set(std::string& out, ValueView set, Append append) {
  out.append("$dynamodb_").append(type_name(set.type())).append("::[");
  bool first = true;
  for (const std::string_view element : set.set_elements()) {
    if (!first) out.push_back(',');
    first = false;
    append(element);
  }
  out.push_back(']');
}

void append_struct(std::string& out, MemberRange members) {
  out.push_back('{');
  bool first = true;
  for (const Member member : members) {
    if (!first) out.push_back(',');
    first = false;
    if (is_identifier(member.name))
      out.append(member.name);
    else
      append_quoted(out, member.name, '\'');
    out.push_back(':');
    append_ion(out, member.value);
  }
  out.push_back('}');
}

void append_list(std::string& out, ElementRange elements) {
  out.push_back('[');
  bool first = true;
  for (const ValueView element : elements) {
    if (!first) out.push_back(',');
    first = false;
    append_ion(out, element);
  }
  out.push_back(']');
}

}  // namespace

void append_ion(std::string& out, ValueView value) {
  switch (value.type()) {
    case Type::S:
      return append_quoted(out, value.string(), '"');
    case Type::N:
      return append_decimal(out, value.number_encoded());
    case Type::B:
      return append_blob(out, value.string());
    case Type::BOOL:
      return void(out.append(value.boolean() ? "true" : "false"));
    case Type::NUL:
      return void(out.append("null"));
    case Type::L:
      return append_list(out, value.elements());
    case Type::M:
      return append_struct(out, value.members());
    case Type::SS:
      return append_set(out, value, [&](std::string_view element) { append_quoted(out, element, '"'); });
    case Type::NS:
      return append_set(out, value, [&](std::string_view element) { append_decimal(out, element); });
    case Type::BS:
      return append_set(out, value, [&](std::string_view element) { append_blob(out, element); });
  }
}

void append_ion(std::string& out, ItemView item) { append_struct(out, item.members()); }

}  // namespace tidemill::lang::dynamodb

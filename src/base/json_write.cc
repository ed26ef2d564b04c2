// JSON text out of documents and calls.
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/json_escapes.h"

namespace tidemill::base::json {

namespace {

void append_escaped(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  const char escape = kEscapes[byte];
  if (escape != 'u') {
    const char text[] = {'\\', escape};
    out.append(text, sizeof(text));
  } else {
    const char text[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    out.append(text, sizeof(text));
  }
}

}  // namespace

bool is_plain(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.size() < 8) return plain_run(text.data(), end) == end;
  const auto word_at = [](const char* at) {
    uint64_t bytes;
    std::memcpy(&bytes, at, sizeof(bytes));
    return bytes;
  };
  const char* at = text.data();
  for (; end - at >= 64; at += 64) {
    if (needs_escape_64(at)) return false;
  }
  for (; end - at > 8; at += 8) {
    if (needs_escape(word_at(at))) return false;
  }
  return !needs_escape(word_at(end - 8));
}

void append_string(std::string& out, std::string_view text) {
  out.push_back('"');
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    const char* const run_end = plain_run(at, end);
    out.append(at, run_end);
    if (run_end == end) break;
    append_escaped(out, *run_end);
    at = run_end + 1;
  }
  out.push_back('"');
}

void append(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      out.append("null");
      return;
    case Kind::boolean:
      out.append(value.boolean() ? "true" : "false");
      return;
    case Kind::number:
      out.append(value.number_text());
      return;
    case Kind::string:
      append_string(out, value.string());
      return;
    case Kind::array: {
      char separator = '[';
      for (const Value& element : value.array()) {
        out.push_back(std::exchange(separator, ','));
        append(out, element);
      }
      out.append(separator == '[' ? "[]" : "]");
      return;
    }
    case Kind::object: {
      char separator = '{';
      for (const auto& [name, member] : value.object()) {
        out.push_back(std::exchange(separator, ','));
        append_string(out, name);
        out.push_back(':');
        append(out, member);
      }
      out.append(separator == '{' ? "{}" : "}");
      return;
    }
  }
}

std::string write(const Value& value) {
  std::string text;
  append(text, value);
  return text;
}

void Writer::number(double number) {
  constexpr size_t kDoubleTextMax = 32;
  separate();
  if (!std::isfinite(number)) {
    out_.append("null");
    return;
  }
  char buffer[kDoubleTextMax];
  out_.append(buffer, std::to_chars(buffer, buffer + kDoubleTextMax, number).ptr);
}

}  // namespace tidemill::base::json

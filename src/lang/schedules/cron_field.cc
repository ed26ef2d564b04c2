#include "lang/schedules/cron_field.h"

#include <algorithm>
#include <charconv>

namespace tidemill::lang::schedules {

namespace {

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x & ~0x20) == (y & ~0x20); });
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct Span {
  int first;
  int last;  // before `first`: across the end
};

// What stands before a step, or alone. A single value with a step goes on to the end.
std::optional<Span> parse_span(const FieldKind& kind, std::string_view text, bool stepped) {
  if (text == "*") return Span{kind.min, kind.max};
  const size_t dash = text.find('-');
  const auto first = parse_field_value(kind, text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return Span{*first, stepped ? kind.max : *first};
  const auto last = parse_field_value(kind, text.substr(dash + 1));
  if (!last || (*last < *first && !kind.wraps)) return std::nullopt;
  return Span{*first, *last};
}

bool add_item(const FieldKind& kind, std::string_view text, FieldValues& values) {
  const size_t slash = text.find('/');
  const bool stepped = slash != std::string_view::npos;
  const auto span = parse_span(kind, text.substr(0, slash), stepped);
  const auto step = stepped ? number(text.substr(slash + 1)) : 1;
  const int size = kind.max - kind.min + 1;
  if (!span || !step || *step < 1 || *step > size) return false;
  const int last = span->last < span->first ? span->last + size : span->last;
  for (int value = span->first; value <= last; value += *step) {
    values.set(static_cast<size_t>((value - kind.min) % size));
  }
  return true;
}

}  // namespace

std::optional<int> parse_field_value(const FieldKind& kind, std::string_view text) {
  const auto named = std::ranges::find_if(kind.names, [&](std::string_view name) { return same_letters(name, text); });
  if (named != kind.names.end()) return kind.min + static_cast<int>(named - kind.names.begin());
  const auto value = number(text);
  return value && *value >= kind.min && *value <= kind.max ? value : std::nullopt;
}

std::optional<FieldValues> parse_field(const FieldKind& kind, std::string_view text) {
  FieldValues values;
  for (;;) {
    const size_t comma = text.find(',');
    if (!add_item(kind, text.substr(0, comma), values)) return std::nullopt;
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tidemill::lang::schedules

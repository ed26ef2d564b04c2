#include "wire/validation.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "wire/shape_table.h"

namespace tidemill::wire {

Path::Path(const Path* parent, const shapes::Member& member) : parent_(parent), name_(member.name), is_member_(true) {}

void Path::append_to(std::string& out, bool as_declared) const {
  if (parent_) {
    parent_->append_to(out, as_declared);
    out.push_back('.');
  }
  if (index_ > 0) {
    out.append(std::to_string(index_));
  } else {
    const size_t begin = out.size();
    out.append(name_);
    if (is_member_ && !as_declared && out[begin] >= 'A' && out[begin] <= 'Z')
      out[begin] = static_cast<char>(out[begin] - 'A' + 'a');
  }
}

void Violations::add(const Path& at, const std::optional<std::string>& value, std::string_view constraint, bool terse) {
  add_text(at, terse && !value, value ? "Value '" + *value + "' at '" : std::string("Value at '"), constraint);
}

void Violations::add_text(const Path& at, bool as_declared, std::string_view beginning, std::string_view constraint) {
  if (count_ == kListedMax) return;
  if (count_++ > 0) text_.append("; ");
  text_.append(beginning);
  at.append_to(text_, as_declared);
  text_.append("' failed to satisfy constraint: ").append(constraint);
}

void Violations::throw_error() const {
  Error error = validation_error(std::to_string(count_) + (count_ == 1 ? " validation error" : " validation errors") +
                                 " detected: " + text_);
  if (!error_code_.empty()) {
    error.code = error_code_;
    error.type_namespace.clear();
  }
  throw error;
}

namespace shapes {

namespace {

constexpr std::string_view kNotNull = "Member must not be null";

// Characters of UTF-8 text. What is not UTF-8 never comes here: bodies and labels are checked when they are read.
size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

bool length_in(std::string_view text, const TextRule& rule) {
  constexpr size_t kBytesOfCodePointMax = 4;
  if (text.size() < rule.min) return false;
  if (text.size() <= rule.max && (rule.min <= 1 || text.size() / kBytesOfCodePointMax >= rule.min)) return true;
  const size_t size = rule.blob ? text.size() : code_points(text);
  return size >= rule.min && size <= rule.max;
}

bool is_arn(std::string_view text, const TextRule& rule) { return rule.arn_max > 0 && text.starts_with("arn:"); }

bool in_values(std::string_view text, const TextRule& rule) {
  return rule.values.empty() || std::ranges::find(rule.values, text) != rule.values.end();
}

std::string length_least(size_t min) { return "Member must have length greater than or equal to " + std::to_string(min); }
std::string length_most(size_t max) { return "Member must have length less than or equal to " + std::to_string(max); }
std::string value_least(int64_t min) { return "Member must have value greater than or equal to " + std::to_string(min); }
std::string value_most(int64_t max) { return "Member must have value less than or equal to " + std::to_string(max); }

std::string pattern_text(const Pattern& pattern) {
  return "Member must satisfy regular expression pattern: " + std::string(pattern.text());
}

std::string values_text(std::span<const std::string_view> values) {
  std::string text = "Member must satisfy enum value set: [";
  for (const std::string_view value : values) {
    if (value.data() != values.front().data()) text.append(", ");
    text.append(value);
  }
  return text + "]";
}

std::string bracketed(const std::vector<std::string>& constraints) {
  std::string text = "[";
  for (const std::string& constraint : constraints) text.append(text.size() > 1 ? ", " : "").append(constraint);
  return text + "]";
}

std::optional<std::string> shown_text(std::string_view value, const TextRule& rule) {
  if (rule.sensitive) return {};
  if (!rule.blob) return std::string(value);
  const std::string size = std::to_string(value.size());
  return "java.nio.HeapByteBuffer[pos=0 lim=" + size + " cap=" + size + "]";
}

}  // namespace

bool satisfies(std::string_view value, const TextRule& rule) {
  if (is_arn(value, rule)) return code_points(value) <= rule.arn_max;
  return length_in(value, rule) && in_values(value, rule) && (!rule.pattern || rule.pattern->matches(value));
}

void report(std::string_view value, const TextRule& rule, const Path& at, Violations& out) {
  const std::optional<std::string> shown = shown_text(value, rule);
  if (is_arn(value, rule)) return out.add(at, shown, length_most(rule.arn_max));
  if (rule.arn_max > 0 && value.empty()) return out.add(at, shown, length_least(1));
  if (!in_values(value, rule)) out.add(at, shown, values_text(rule.values));
  if (rule.pattern && !rule.pattern->matches(value)) out.add(at, shown, pattern_text(*rule.pattern));
  if (length_in(value, rule)) return;
  const size_t size = rule.blob ? value.size() : code_points(value);
  out.add(at, shown, size < rule.min ? length_least(rule.min) : length_most(rule.max));
}

void report(double value, std::string shown, const NumberRule& rule, const Path& at, Violations& out) {
  const bool hidden = rule.sensitive || rule.terse;
  const std::optional<std::string> text = hidden ? std::optional<std::string>() : std::move(shown);
  out.add(at, text, value < static_cast<double>(rule.min) ? value_least(rule.min) : value_most(rule.max), rule.terse);
}

void report_count(size_t count, const std::optional<std::string>& shown, const CountRule& rule, const Path& at,
                  Violations& out) {
  out.add(at, shown, count < rule.min ? length_least(rule.min) : length_most(rule.max), rule.terse);
}

std::string describe(const TextRule& rule) {
  std::vector<std::string> constraints;
  const bool has_length = rule.max != std::numeric_limits<size_t>::max();
  if (has_length) constraints.push_back(length_most(rule.max));
  if (has_length || rule.min > 0) constraints.push_back(length_least(rule.min));
  if (rule.pattern) constraints.push_back(pattern_text(*rule.pattern));
  if (!rule.values.empty()) constraints.push_back(values_text(rule.values));
  if (!rule.terse) constraints.emplace_back(kNotNull);
  return bracketed(constraints);
}

std::string describe(const NumberRule& rule) {
  std::vector<std::string> constraints;
  if (rule.max != std::numeric_limits<int64_t>::max()) constraints.push_back(value_most(rule.max));
  if (rule.min != std::numeric_limits<int64_t>::min()) constraints.push_back(value_least(rule.min));
  if (!rule.terse) constraints.emplace_back(kNotNull);
  return bracketed(constraints);
}

std::string describe(const CountRule& rule) { return bracketed({length_most(rule.max), length_least(rule.min)}); }

std::string shown(int64_t value) { return std::to_string(value); }

std::string shown(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
}

}  // namespace shapes
}  // namespace tidemill::wire

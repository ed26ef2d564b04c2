#include "wire/post_policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/timestamp.h"

namespace tidemill::wire {

namespace json = base::json;

namespace {

constexpr std::string_view kExpiration = "expiration";
constexpr std::string_view kConditions = "conditions";
constexpr std::string_view kRange = "content-length-range";
constexpr std::string_view kIgnored = "x-ignore-";
// What no condition needs to name: the policy itself, and what signs it.
constexpr std::array<std::string_view, 5> kFree{"policy", "x-amz-signature", "signature", "awsaccesskeyid", "file"};

[[noreturn]] void refuse_document(std::string_view why) {
  throw Error("InvalidPolicyDocument", 400, base::cat("Invalid Policy: ", why));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return out;
}

// In UTC; AWS takes no other zone.
base::Time expiration_of(const json::Value& value) {
  if (!value.is_string()) refuse_document("Invalid JSON.");
  const std::string& text = value.string();
  const auto time = text.ends_with('Z') ? parse_timestamp(text, TimestampFormat::date_time) : std::nullopt;
  if (!time) refuse_document(base::cat("Invalid 'expiration' value: '", text, "'"));
  return *time;
}

// ["eq", "$key", "a"], with spaces as AWS has them.
std::string shown(const json::Array& condition) {
  std::string text = "[";
  for (const json::Value& each : condition) {
    if (text.size() > 1) text += ", ";
    json::append(text, each);
  }
  return text + "]";
}

std::optional<uint64_t> bound_of(const json::Value& value) {
  const std::string& text = value.is_number() ? value.number_text() : value.string();
  uint64_t number = 0;
  const bool is_negative = text.starts_with('-');
  const char* const begin = text.data() + (is_negative ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return is_negative ? 0 : number;
}

// Of "image/png, image/gif" every type must begin so: a field that may name several.
bool all_start_with(std::string_view list, std::string_view prefix) {
  while (true) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view each = list.substr(0, comma);
    each.remove_prefix(std::min(each.find_first_not_of(' '), each.size()));
    if (!each.starts_with(prefix)) return false;
    if (comma == list.size()) return true;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

void refuse_by_policy(std::string_view why) {
  throw Error("AccessDenied", 403, base::cat("Invalid according to Policy: ", why));
}

PostPolicy PostPolicy::parse(std::string_view base64) {
  const auto text = base::base64_decode(base64);
  const auto document = text ? json::parse(*text) : std::unexpected(json::ParseError{});
  if (!document || !document->is_object()) refuse_document("Invalid JSON.");
  for (const auto& [name, value] : document->object()) {
    if (name != kExpiration && name != kConditions) refuse_document(base::cat("Unexpected: '", lower(name), "'"));
  }
  PostPolicy policy;
  const json::Value* expiration = document->find(kExpiration);
  if (!expiration) refuse_document("Policy missing expiration.");
  policy.expires_ = expiration_of(*expiration);
  const json::Value* conditions = document->find(kConditions);
  if (!conditions) refuse_document("Policy missing conditions.");
  if (!conditions->is_array()) refuse_document("Invalid 'conditions' value: must be a List.");
  for (const json::Value& condition : conditions->array()) policy.add(condition);
  return policy;
}

void PostPolicy::add(const json::Value& condition) {
  if (condition.is_object()) return add_member(condition.object());
  if (!condition.is_array()) refuse_document("Invalid condition test: must be a List or Object.");
  add_operation(condition.array());
}

// {"acl": "private"} says the same as ["eq", "$acl", "private"].
void PostPolicy::add_member(const json::Object& condition) {
  if (condition.size() != 1) {
    refuse_document("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.");
  }
  const auto& [name, value] = *condition.begin();
  if (value.is_null()) refuse_document("Invalid JSON.");
  if (!value.is_string()) refuse_document("Invalid Simple-Condition: value must be a string.");
  conditions_.push_back(
      {Kind::equal, lower(name), value.string(), shown({json::Value("eq"), json::Value("$" + name), value})});
}

void PostPolicy::add_operation(const json::Array& condition) {
  if (condition.empty()) refuse_document("Invalid Condition: missing operation identifier.");
  if (!condition.front().is_string()) refuse_document("Invalid JSON.");
  const std::string operation = lower(condition.front().string());
  const bool is_range = operation == kRange;
  if (!is_range && operation != "eq" && operation != "starts-with") {
    refuse_document(base::cat("Invalid Condition: unknown operation '", operation, "'."));
  }
  if (condition.size() != 3) refuse_document(base::cat("Invalid ", operation, ": wrong number of arguments."));
  if (is_range) return add_range(condition);
  if (!condition[1].is_string() || !condition[2].is_string()) refuse_document("Invalid JSON.");
  std::string name = lower(condition[1].string());
  const bool names_field = name.starts_with('$');  // without that sign it is a condition that nothing meets
  if (names_field) name.erase(0, 1);
  const Kind kind = !names_field ? Kind::never : operation == "eq" ? Kind::equal : Kind::starts_with;
  conditions_.push_back({kind, std::move(name), condition[2].string(), shown(condition)});
}

void PostPolicy::add_range(const json::Array& condition) {
  for (const json::Value& bound : {condition[1], condition[2]}) {
    const bool is_whole = bound.is_string() || (bound.is_number() && bound.to_int64() &&
                                                bound.number_text().find_first_of(".eE") == std::string::npos);
    if (!is_whole) refuse_document("Invalid JSON.");
  }
  const auto min = bound_of(condition[1]);
  const auto max = bound_of(condition[2]);
  if (!min || !max) {
    conditions_.push_back({Kind::never, "", "", shown(condition)});
    return;
  }
  length_ = {std::max(length_.min, *min), std::min(length_.max, *max)};
}

// A field that is not there meets no condition, not even that it begin with nothing.
bool PostPolicy::holds(const Condition& condition, std::string_view bucket, const FormFields& fields) {
  const std::string* field = find_field(fields, condition.name);
  const std::string_view value = condition.name == "bucket" ? bucket : field ? std::string_view(*field) : "";
  if (condition.kind == Kind::never || (!field && condition.name != "bucket")) return false;
  if (condition.kind == Kind::equal) return value == condition.value;
  if (condition.name == "content-type") return all_start_with(value, condition.value);
  return value.starts_with(condition.value);
}

void PostPolicy::check(std::string_view bucket, const FormFields& fields) const {
  for (const Condition& condition : conditions_) {
    if (!holds(condition, bucket, fields)) refuse_by_policy("Policy Condition failed: " + condition.shown);
  }
  for (const auto& [sent, value] : fields) {
    const std::string name = lower(sent);
    const bool is_free = name.starts_with(kIgnored) || std::ranges::find(kFree, name) != kFree.end();
    if (is_free || std::ranges::find(conditions_, name, &Condition::name) != conditions_.end()) continue;
    refuse_by_policy("Extra input fields: " + sent);
  }
}

}  // namespace tidemill::wire

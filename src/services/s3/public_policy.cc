#include "services/s3/public_policy.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json.h"
#include "base/text.h"
#include "lang/policies/facts.h"
#include "services/s3/operations.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

// What a caller cannot choose freely.
constexpr std::array<std::string_view, 11> kKeysOfCallers{
    "aws:sourcearn",         "aws:sourcevpc",        "aws:sourcevpce",   "aws:sourceowner",
    "aws:sourceaccount",     "aws:userid",           "aws:principalarn", "aws:principalaccount",
    "aws:principalorgid",    "aws:principalorgpaths", "s3:x-amz-server-side-encryption-aws-kms-key-id"};
// Without "foranyvalue:" before it.
constexpr std::array<std::string_view, 5> kOperatorsThatFix{"stringequals", "stringequalsignorecase", "stringlike",
                                                            "arnequals", "arnlike"};
constexpr std::string_view kSourceAddress = "aws:sourceip";
constexpr std::string_view kInBlock = "ipaddress";
constexpr int kBlockBitsMin = 8;     // a wider block of IPv4 addresses is everybody
constexpr int kBlockBitsMinV6 = 32;  // of IPv6

template <class Is>
bool all_texts(const json::Value& value, Is is) {
  if (value.is_string()) return is(value.string());
  if (!value.is_array() || value.array().empty()) return false;
  return std::ranges::all_of(value.array(), [&](const json::Value& each) { return each.is_string() && is(each.string()); });
}

bool is_fixed(std::string_view value) { return value.find_first_of("*?$") == std::string_view::npos; }

bool is_narrow_block(std::string_view block) {
  const bool is_v6 = block.contains(':');
  const size_t slash = block.find('/');
  if (slash == std::string_view::npos) return true;
  int bits = 0;
  const std::string_view digits = block.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  return error == std::errc() && end == digits.data() + digits.size() && bits >= (is_v6 ? kBlockBitsMinV6 : kBlockBitsMin);
}

bool fixes_caller(std::string_view comparison, std::string_view key, const json::Value& values) {
  if (key == kSourceAddress) return comparison == kInBlock && all_texts(values, is_narrow_block);
  return std::ranges::find(kKeysOfCallers, key) != kKeysOfCallers.end() &&
         std::ranges::find(kOperatorsThatFix, comparison) != kOperatorsThatFix.end() && all_texts(values, is_fixed);
}

bool fixes_caller(const json::Value& conditions) {
  constexpr std::string_view kAnyValue = "foranyvalue:";
  if (!conditions.is_object()) return false;
  for (const auto& [name, keys] : conditions.object()) {
    std::string comparison = lang::policies::lower_case(name);
    if (comparison.starts_with(kAnyValue)) comparison.erase(0, kAnyValue.size());
    if (!keys.is_object()) continue;
    for (const auto& [key, values] : keys.object()) {
      if (fixes_caller(comparison, lang::policies::lower_case(key), values)) return true;
    }
  }
  return false;
}

bool is_everybody(const json::Value& principal) {
  if (principal.is_string()) return principal.string() == "*";
  if (principal.is_array()) return std::ranges::any_of(principal.array(), is_everybody);
  const json::Value* accounts = principal.is_object() ? principal.find("AWS") : nullptr;
  return accounts && is_everybody(*accounts);
}

bool is_public_statement(const json::Value& statement) {
  if (!statement.is_object()) return false;
  const json::Value* effect = statement.find("Effect");
  if (!effect || !effect->is_string() || effect->string() != "Allow") return false;
  const json::Value* principal = statement.find("Principal");
  if (principal ? !is_everybody(*principal) : !statement.find("NotPrincipal")) return false;
  const json::Value* conditions = statement.find("Condition");
  return !conditions || !fixes_caller(*conditions);
}

}  // namespace

bool is_public_policy(std::string_view document) {
  const auto policy = json::parse(document);
  const json::Value* statements = policy && policy->is_object() ? policy->find("Statement") : nullptr;
  if (!statements) return false;
  if (!statements->is_array()) return is_public_statement(*statements);
  return std::ranges::any_of(statements->array(), is_public_statement);
}

bool restricts_public_policy(const Bucket& bucket) {
  const std::string* block = bucket.setting(kPublicAccessBlock);
  const std::string* policy = block ? bucket.setting(kPolicy) : nullptr;
  if (!policy) return false;
  return read_document<ops::PutPublicAccessBlock>(*block)
             .public_access_block_configuration.restrict_public_buckets.value_or(false) &&
         is_public_policy(*policy);
}

}  // namespace tidemill::s3

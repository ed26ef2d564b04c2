// What is known of a request: the values of condition keys ("aws:SourceIp", "dynamodb:LeadingKeys"). Names ignore case.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::policies {

using Values = std::vector<std::string>;

[[nodiscard]] inline size_t bytes_of(const Values& values) {
  size_t bytes = 0;
  for (const std::string& value : values) bytes += value.size();
  return bytes;
}

[[nodiscard]] std::string lower_case(std::string_view text);  // of ASCII

// Whom an evaluation asks, only for the keys that a policy mentions: what costs to find out is found out then.
class FactSource {
 public:
  virtual ~FactSource() = default;
  // `key` in lower case. Null: the request has no such key. What is given lives as long as this.
  [[nodiscard]] virtual const Values* find(std::string_view key) const = 0;
  // The request has values of it that nobody can tell: a condition on it holds in a Deny, and does not in an Allow.
  [[nodiscard]] virtual bool is_unknown([[maybe_unused]] std::string_view key) const { return false; }
};

class Facts final : public FactSource {
 public:
  void set(std::string_view key, Values values) { values_[lower_case(key)] = std::move(values); }
  void set(std::string_view key, std::string_view value) { values_[lower_case(key)] = {std::string(value)}; }
  [[nodiscard]] const Values* find(std::string_view key) const override {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] size_t bytes() const {  // of its values
    size_t bytes = 0;
    for (const auto& [key, values] : values_) bytes += bytes_of(values);
    return bytes;
  }
  void set_unknown(std::string_view key) { unknown_.insert(lower_case(key)); }
  [[nodiscard]] bool is_unknown(std::string_view key) const override { return unknown_.contains(key); }

 private:
  std::map<std::string, Values, std::less<>> values_;
  std::set<std::string, std::less<>> unknown_;
};

}  // namespace tidemill::lang::policies

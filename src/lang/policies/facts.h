// What is known of a request: the values of condition keys ("aws:SourceIp", "dynamodb:LeadingKeys"). Names ignore case.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::policies {

using Values = std::vector<std::string>;

[[nodiscard]] std::string lower_case(std::string_view text);  // of ASCII

// Whom an evaluation asks, only for the keys that a policy mentions: what costs to find out is found out then.
class FactSource {
 public:
  virtual ~FactSource() = default;
  // `key` in lower case. Null: the request has no such key. What is given lives as long as this.
  [[nodiscard]] virtual const Values* find(std::string_view key) const = 0;
};

class Facts final : public FactSource {
 public:
  void set(std::string_view key, Values values) { values_[lower_case(key)] = std::move(values); }
  void set(std::string_view key, std::string_view value) { values_[lower_case(key)] = {std::string(value)}; }
  [[nodiscard]] const Values* find(std::string_view key) const override {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Values, std::less<>> values_;
};

}  // namespace tidemill::lang::policies

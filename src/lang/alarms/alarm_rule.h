// Rules of composite alarms: "PutCompositeAlarm" in the API reference.
//
//   ALARM("cpu") AND (NOT OK(disk) OR INSUFFICIENT_DATA(arn:aws:cloudwatch:us-east-1:111122223333:alarm:net))
//
// ALARM, OK and INSUFFICIENT_DATA of an alarm's name or ARN, with or without quotes; TRUE and FALSE; NOT, AND, OR (the
// strongest first) and parentheses. Words are sensitive to case.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::lang::alarms {

// "The total length of all alarm rules", "up to 100 elements", "nested" in the API reference.
inline constexpr size_t kRuleSizeMax = 10'240;
inline constexpr size_t kChildrenMax = 100;
inline constexpr size_t kElementsMax = 500;
inline constexpr int kRuleDepthMax = 64;

class RuleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Immutable, any thread.
class AlarmRule {
 public:
  // Throws RuleError.
  static AlarmRule parse(std::string_view text);

  // Names or ARNs of the alarms that it asks about, as they stand there.
  [[nodiscard]] const std::set<std::string>& alarms() const { return alarms_; }

  // `state_of` says in which state an alarm is: "OK"; of one that is not there, anything else.
  [[nodiscard]] bool holds(const std::function<std::string(const std::string& alarm)>& state_of) const;

 private:
  friend class RuleParser;
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;
  static bool holds(const Node& node, const std::function<std::string(const std::string&)>& state_of);

  NodePtr root_;
  std::set<std::string> alarms_;
};

}  // namespace tidemill::lang::alarms

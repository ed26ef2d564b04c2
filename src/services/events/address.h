// How buses and rules are named: arn:aws:events:REGION:ACCOUNT:event-bus/BUS, and …:rule/RULE on the default bus,
// …:rule/BUS/RULE on others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::events {

inline constexpr std::string_view kDefaultBus = "default";

struct BusAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  // It is there without being made.
  [[nodiscard]] bool is_default() const { return name == kDefaultBus; }
  bool operator==(const BusAddress&) const = default;
};

struct RuleAddress {
  BusAddress bus;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

// Of a request: a name or an ARN; without either, the default bus.
[[nodiscard]] BusAddress bus_of(const wire::Context& context, const std::optional<std::string>& name_or_arn);

// Nothing if `arn` is none of a bus, or of a rule.
[[nodiscard]] std::optional<BusAddress> parse_bus_arn(std::string_view arn);
[[nodiscard]] std::optional<RuleAddress> parse_rule_arn(std::string_view arn);

}  // namespace tidemill::events

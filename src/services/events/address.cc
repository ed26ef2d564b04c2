#include "services/events/address.h"

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr std::string_view kService = "events";
constexpr std::string_view kBusType = "event-bus/";
constexpr std::string_view kRuleType = "rule/";

std::string arn_of(const BusAddress& bus, const std::string& resource) {
  return wire::Arn{.service = kService, .region = bus.region, .account = bus.account, .resource = resource}.text();
}

// What stands behind the type, in the account and region of the ARN; nothing: it is of another type.
std::optional<BusAddress> parse(std::string_view type, std::string_view arn) {
  const auto parts = wire::parse_arn_of(kService, arn);
  if (!parts || !parts->resource.starts_with(type) || parts->resource.size() == type.size()) return std::nullopt;
  return BusAddress{std::string(parts->account), std::string(parts->region),
                    std::string(parts->resource.substr(type.size()))};
}

}  // namespace

std::string BusAddress::arn() const { return arn_of(*this, cat(kBusType, name)); }

std::string RuleAddress::arn() const {
  return arn_of(bus, bus.is_default() ? cat(kRuleType, name) : cat(kRuleType, bus.name, "/", name));
}

BusAddress bus_of(const wire::Context& context, const std::optional<std::string>& name_or_arn) {
  if (!name_or_arn) return {context.account, context.region, std::string(kDefaultBus)};
  if (auto bus = parse_bus_arn(*name_or_arn)) return *std::move(bus);
  return {context.account, context.region, *name_or_arn};
}

std::optional<BusAddress> parse_bus_arn(std::string_view arn) { return parse(kBusType, arn); }

std::optional<RuleAddress> parse_rule_arn(std::string_view arn) {
  auto found = parse(kRuleType, arn);
  if (!found) return std::nullopt;
  RuleAddress rule{*std::move(found), ""};
  // The names of buses may have slashes, those of rules have none.
  const size_t slash = rule.bus.name.rfind('/');
  rule.name = slash == std::string::npos ? rule.bus.name : rule.bus.name.substr(slash + 1);
  rule.bus.name = slash == std::string::npos ? std::string(kDefaultBus) : rule.bus.name.substr(0, slash);
  // A rule has one ARN, as policies know it by that.
  if (slash != std::string::npos && rule.bus.is_default()) return std::nullopt;
  return rule;
}

}  // namespace tidemill::events

#include "engine/targets/universal_target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "engine/targets/internal_call.h"

namespace tidemill::engine {

using base::cat;

namespace {

// How the names of operations begin that only read.
constexpr auto kReading = std::to_array<std::string_view>({"get",
                                                           "describe",
                                                           "list",
                                                           "poll",
                                                           "receive",
                                                           "search",
                                                           "scan",
                                                           "query",
                                                           "select",
                                                           "read",
                                                           "lookup",
                                                           "discover",
                                                           "validate",
                                                           "batchGet",
                                                           "batchDescribe",
                                                           "batchRead",
                                                           "transactGet",
                                                           "adminGet",
                                                           "adminList",
                                                           "testMigration",
                                                           "retrieve",
                                                           "testConnection",
                                                           "translateDocument",
                                                           "isAuthorized",
                                                           "invokeModel"});

// Services whose name in SDKs is not that of their endpoint, by which the registry knows them.
struct Renamed {
  std::string_view sdk;
  std::string_view service;
};
constexpr auto kRenamed =
    std::to_array<Renamed>({{"eventbridge", "events"}, {"sfn", "states"}, {"cloudwatchlogs", "logs"}});

// Whether a service may be called so in SDKs, be it one that the platform has or another.
bool is_sdk_name(std::string_view service) {
  constexpr std::string_view kMonitoring = "monitoring";  // the endpoint of "cloudwatch"
  const auto belongs = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return std::ranges::all_of(service, belongs) && service != kMonitoring &&
         std::ranges::find(kRenamed, service, &Renamed::service) == kRenamed.end();
}

// Operations that answer once what they call has.
constexpr auto kWaiting = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"events", "InvokeApiDestination"},
    {"lambda", "Invoke"},
    {"states", "StartSyncExecution"},
    {"states", "TestState"},
});

// A bus answers that it did not take an event as if all were well.
store::SendOutcome outcome_of_answer(const base::json::Value& answer) {
  const base::json::Value* failed = answer.find("FailedEntryCount");
  if (!failed || failed->to_int64() == 0) return {};
  return {store::SendStatus::rejected, "FailedEntry: " + base::json::write(answer)};
}

}  // namespace

NamedOperation universal_operation(std::string_view arn) {
  const std::string_view rest = arn.substr(kUniversalStart.size());
  const size_t colon = rest.find(':');
  const std::string_view action = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  if (colon == 0 || action.empty() || action.front() < 'a' || action.front() > 'z') {
    throw NoUniversalTarget("Provided Arn is not in correct format.");
  }
  NamedOperation operation{std::string(rest.substr(0, colon)), std::string(action)};
  operation.name.front() = static_cast<char>(operation.name.front() - 'a' + 'A');
  const auto renamed = std::ranges::find(kRenamed, operation.service, &Renamed::sdk);
  if (renamed != kRenamed.end()) operation.service = renamed->service;
  return operation;
}

NamedOperation new_universal_operation(std::string_view arn) {
  NamedOperation operation = universal_operation(arn);
  const std::string_view rest = arn.substr(kUniversalStart.size());
  const size_t colon = rest.find(':');
  const std::string_view service = rest.substr(0, colon), action = rest.substr(colon + 1);
  if (!is_sdk_name(service)) throw NoUniversalTarget(cat(service, " is not a supported service for a target."));
  if (std::ranges::any_of(kReading, [&](std::string_view start) { return action.starts_with(start); })) {
    throw NoUniversalTarget(cat(action, " API is not supported."));
  }
  return operation;
}

bool may_wait(std::string_view arn) {
  const NamedOperation operation = universal_operation(arn);
  const std::pair<std::string_view, std::string_view> called(operation.service, operation.name);
  return std::ranges::find(kWaiting, called) != kWaiting.end();
}

bool is_supported(const wire::Registry& registry, const NamedOperation& operation) {
  const auto* found = registry.find(operation.service, operation.name);
  return found && found->info.unsupported_reason.empty() && !found->info.event_stream;
}

Task<store::SendOutcome> call_by_name(wire::Context context, NamedOperation operation, base::json::Value document) {
  try {
    co_return outcome_of_answer(co_await context.registry().call(context, std::move(operation.service),
                                                                 std::move(operation.name), std::move(document)));
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{store::SendStatus::unavailable, error.what()};
  }
}

}  // namespace tidemill::engine

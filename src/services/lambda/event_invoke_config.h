// What becomes of the events of a function, a version or an alias: how often and how long they are tried, and where their
// ends are told. Kept in the store under KeySpace::resource, (account, region, "lambda", "event-invoke-config", function),
// qualifier.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/lambda/function_name.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// What holds where nothing is set, as on AWS.
inline constexpr int kEventRetriesDefault = 2;
inline constexpr int kEventAgeSecondsDefault = 21'600;

struct EventInvokeConfig {
  std::string qualifier;  // "$LATEST" if none was given
  std::optional<int> retry_attempts_max;
  std::optional<int> age_seconds_max;
  std::string on_success;  // ARNs; empty: none
  std::string on_failure;
  base::Time last_modified;

  [[nodiscard]] int retries() const { return retry_attempts_max.value_or(kEventRetriesDefault); }
  [[nodiscard]] std::chrono::seconds age_max() const {
    return std::chrono::seconds(age_seconds_max.value_or(kEventAgeSecondsDefault));
  }
};

[[nodiscard]] std::string event_invoke_config_key(const FunctionAddress& address, std::string_view qualifier);
[[nodiscard]] store::Range event_invoke_configs_range(const FunctionAddress& address);

// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] EventInvokeConfig decode_event_invoke_config(std::string_view bytes);
[[nodiscard]] std::string encode_event_invoke_config(const EventInvokeConfig& config);

// Nothing: there is none for that qualifier.
Task<std::optional<EventInvokeConfig>> find_event_invoke_config(store::Snapshot& reader, FunctionReference reference);

}  // namespace tidemill::lambda

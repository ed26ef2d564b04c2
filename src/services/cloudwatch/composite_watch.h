// Which composite alarms ask about an alarm, and when they are looked at:
//   KeySpace::metric, 'p', string(account) string(region) string(alarm), name of the composite alarm     nothing
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/resources.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::cloudwatch {

inline constexpr store::ResourceType kCompositeAlarmType{"cloudwatch", "composite-alarm"};
// Id: the composite alarm's key.
inline constexpr store::TimerKind kCompositeTimer{"cloudwatch-composite"};

[[nodiscard]] std::string composite_key(const store::ResourceAddress& address);

[[nodiscard]] std::string parent_key(const store::ResourceAddress& child, std::string_view parent);
[[nodiscard]] store::Range parents_range(const store::ResourceAddress& child);
[[nodiscard]] std::string parent_of_key(std::string_view key);

// At `due`, or earlier if that has been asked for already.
Task<void> evaluate_composite_at(store::Transaction& txn, const store::ResourceAddress& address, base::Time due);
// After an alarm has changed its state, or has come or gone: all that ask about it, in the transaction's wake.
Task<void> evaluate_parents(store::Transaction& txn, const store::ResourceAddress& child, base::Time now);

}  // namespace tidemill::cloudwatch

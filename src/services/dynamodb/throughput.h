// Provisioned and warm throughput of a table or a global index, as it is kept in descriptions.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/json.h"

namespace tidemill::dynamodb {

struct Throughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  std::optional<base::Time> last_increase;
  std::optional<base::Time> last_decrease;
  int64_t decreases_today = 0;
};

// What a table or a global index is prepared for; there is nothing to prepare here.
struct WarmThroughput {
  int64_t read_units = 0;  // per second
  int64_t write_units = 0;
};

[[nodiscard]] json::Value throughput_json(const Throughput& throughput);
[[nodiscard]] Throughput throughput_from(const json::Value& json);
[[nodiscard]] json::Value warm_throughput_json(const WarmThroughput& throughput);
[[nodiscard]] WarmThroughput warm_throughput_from(const json::Value& json);

}  // namespace tidemill::dynamodb

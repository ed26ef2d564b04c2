// How many batches of one queue may be with its function at the same time. Begins with a few, grows while the queue has
// more than there are places for, and falls back when there is nothing left to do. The numbers are AWS's (Lambda developer guide,
// "Configuring scaling behavior for SQS event source mappings").
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {

inline constexpr size_t kQueueBatchesFirst = 5;
inline constexpr size_t kQueueBatchesMax = 1'250;
inline constexpr int kQueueGrowthPerMinute = 300;

// With ProvisionedPollerConfig: a poller carries so many batches.
inline constexpr size_t kBatchesPerPoller = 10;
inline constexpr int kPollersMinDefault = 2;
inline constexpr int kPollersMaxDefault = 200;
inline constexpr int kProvisionedGrowthPerMinute = 1'000;
inline constexpr size_t kProvisionedBatchesMax = 20'000;

class QueueScaling {
 public:
  // Takes the mapping's settings; what has been reached stays, within them.
  void follow(const Mapping& mapping);

  // How many there may be now.
  [[nodiscard]] size_t allowed() const { return allowed_; }

  // There are more messages than places, as far as one can tell: grows by the time for which that has been so.
  void saturated(base::Time now);
  // There are not.
  void relaxed() { since_.reset(); }
  [[nodiscard]] bool is_saturated() const { return since_.has_value(); }
  // There is nothing to do at all: begins anew.
  void at_rest();

  // While saturated: when there will be another place. Nothing: there will be none.
  [[nodiscard]] std::optional<base::Time> next_growth() const;

 private:
  size_t first_ = kQueueBatchesFirst;
  size_t most_ = kQueueBatchesMax;
  base::Duration per_place_{};
  size_t allowed_ = kQueueBatchesFirst;
  std::optional<base::Time> since_;
};

}  // namespace tidemill::engine

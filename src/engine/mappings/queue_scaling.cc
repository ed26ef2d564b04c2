#include "engine/mappings/queue_scaling.h"

#include <algorithm>

namespace tidemill::engine {

namespace {

base::Duration duration_per_place(int per_minute) { return base::Duration(std::chrono::minutes(1)) / per_minute; }

}  // namespace

void QueueScaling::follow(const Mapping& mapping) {
  if (mapping.pollers_min || mapping.pollers_max) {
    const auto least = static_cast<size_t>(mapping.pollers_min.value_or(kPollersMinDefault));
    const auto most = static_cast<size_t>(mapping.pollers_max.value_or(kPollersMaxDefault));
    first_ = least * kBatchesPerPoller;
    most_ = std::min(std::max(least, most) * kBatchesPerPoller, kProvisionedBatchesMax);
    per_place_ = duration_per_place(kProvisionedGrowthPerMinute);
  } else {
    most_ = mapping.concurrency_max ? static_cast<size_t>(*mapping.concurrency_max) : kQueueBatchesMax;
    first_ = std::min(kQueueBatchesFirst, most_);
    per_place_ = duration_per_place(kQueueGrowthPerMinute);
  }
  allowed_ = std::clamp(allowed_, first_, most_);
}

void QueueScaling::saturated(base::Time now) {
  if (!since_ || now < *since_) since_ = now;
  const auto grown = static_cast<size_t>((now - *since_) / per_place_);
  *since_ += per_place_ * static_cast<int64_t>(grown);
  allowed_ = std::min(allowed_ + grown, most_);
}

void QueueScaling::at_rest() {
  since_.reset();
  allowed_ = first_;
}

std::optional<base::Time> QueueScaling::next_growth() const {
  if (!since_ || allowed_ >= most_) return std::nullopt;
  return *since_ + per_place_;
}

}  // namespace tidemill::engine

#include "wire/metrics/platform_metrics.h"

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace tidemill::wire {
namespace {

// Threads beyond these share.
constexpr size_t kShards = 32;

size_t shard_of_thread() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t own = threads++ % kShards;
  return own;
}

base::Time minute_of(base::Time time) { return std::chrono::floor<std::chrono::minutes>(time); }

struct Shard {
  std::mutex mutex;
  std::string key;  // scratch, so that looking up allocates nothing
  std::unordered_map<std::string, PlatformMetrics::Gathered> series;
};

}  // namespace

struct PlatformMetrics::Impl {
  explicit Impl(base::Clock& time) : clock(time) {}

  base::Clock& clock;
  std::array<Shard, kShards> shards;
  std::atomic<size_t> series_count = 0;
  std::atomic<bool> is_awake = false;
  std::mutex mutex;
  std::function<void()> wake;
  std::vector<std::weak_ptr<PlatformMetrics::Gauges>> gauges;
};

PlatformMetrics::PlatformMetrics(base::Clock& clock) : impl_(std::make_unique<Impl>(clock)) {}
PlatformMetrics::~PlatformMetrics() = default;

void PlatformMetrics::add(const PlatformMetric& metric, std::string_view account, std::string_view region,
                          std::string_view resource, double value, double count, std::string_view resource2) {
  const base::Time minute = minute_of(impl_->clock.now());
  {
    Shard& shard = impl_->shards[shard_of_thread()];
    const std::lock_guard lock(shard.mutex);
    std::string& key = shard.key;
    key.clear();
    const PlatformMetric* address = &metric;
    key.append(reinterpret_cast<const char*>(&address), sizeof address);
    key.append(reinterpret_cast<const char*>(&minute), sizeof minute);
    for (const std::string_view part : {account, region, resource, resource2}) key.append(part).push_back('\0');
    auto found = shard.series.find(key);
    if (found == shard.series.end()) {
      if (impl_->series_count.load(std::memory_order_relaxed) >= kSeriesMax) return;
      ++impl_->series_count;
      found = shard.series.emplace(key, Gathered{&metric, std::string(account), std::string(region), std::string(resource),
                                                 std::string(resource2), minute, {}}).first;
    }
    found->second.values.add(value, count);
  }
  if (impl_->is_awake.load(std::memory_order_relaxed) || impl_->is_awake.exchange(true)) return;
  const std::lock_guard lock(impl_->mutex);
  if (impl_->wake) impl_->wake();
}

std::vector<PlatformMetrics::Gathered> PlatformMetrics::take() {
  // What is added from here on wakes anew, also if it is still taken below.
  impl_->is_awake = false;
  std::vector<Gathered> result;
  for (Shard& shard : impl_->shards) {
    const std::lock_guard lock(shard.mutex);
    impl_->series_count -= shard.series.size();
    for (auto& [key, gathered] : shard.series) result.push_back(std::move(gathered));
    shard.series.clear();
  }
  for (const auto& gauges : gauges()) {
    for (const Gathered& gathered : result) gauges->note(gathered);
  }
  return result;
}

void PlatformMetrics::watch_with(std::weak_ptr<Gauges> gauges) {
  const std::lock_guard lock(impl_->mutex);
  impl_->gauges.push_back(std::move(gauges));
}

std::vector<std::shared_ptr<PlatformMetrics::Gauges>> PlatformMetrics::gauges() {
  const std::lock_guard lock(impl_->mutex);
  std::vector<std::shared_ptr<Gauges>> result;
  std::erase_if(impl_->gauges, [&](const auto& weak) {
    if (auto one = weak.lock()) result.push_back(std::move(one));
    return weak.expired();
  });
  return result;
}

Task<PlatformMetrics::Measured> PlatformMetrics::measure_gauges(base::Time minute) {
  Measured result;
  for (const auto& gauges : gauges()) {
    const bool again = co_await gauges->measure(minute, result.found);
    result.again = result.again || again;
  }
  co_return result;
}

void PlatformMetrics::on_first(std::function<void()> wake) {
  const std::lock_guard lock(impl_->mutex);
  impl_->wake = std::move(wake);
}

}  // namespace tidemill::wire

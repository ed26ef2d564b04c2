#include "services/sqs/queue_metrics.h"

#include "services/sqs/counts.h"

namespace tidemill::sqs {
namespace {

using wire::PlatformMetric;
using wire::PlatformMetrics;

constexpr PlatformMetric kVisible{kMetricsNamespace, "ApproximateNumberOfMessagesVisible", "Count", "QueueName"};
constexpr PlatformMetric kNotVisible{kMetricsNamespace, "ApproximateNumberOfMessagesNotVisible", "Count", "QueueName"};
constexpr PlatformMetric kDelayed{kMetricsNamespace, "ApproximateNumberOfMessagesDelayed", "Count", "QueueName"};
constexpr PlatformMetric kOldest{kMetricsNamespace, "ApproximateAgeOfOldestMessage", "Seconds", "QueueName"};

}  // namespace

void QueueGauges::note(const PlatformMetrics::Gathered& gathered) {
  if (gathered.metric->name_space != kMetricsNamespace) return;
  note({gathered.account, gathered.region, gathered.resource}, gathered.minute);
}

void QueueGauges::touch(const QueueAddress& address) {
  note({address.account, address.region, address.name}, std::chrono::floor<std::chrono::minutes>(clock_.now()));
}

void QueueGauges::note(Name name, base::Time minute) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(name);
  if (found != active_.end()) found->second = std::max(found->second, minute);
  else if (active_.size() < kQueuesMax) active_.emplace(std::move(name), minute);
}

Task<bool> QueueGauges::measure(base::Time minute, std::vector<PlatformMetrics::Gathered>& found) {
  std::map<Name, base::Time> queues;
  {
    const std::lock_guard lock(mutex_);
    queues = active_;
  }
  for (const auto& [name, last] : queues) {
    const auto& [account, region, queue] = name;
    if (co_await measure_one({account, region, queue}, minute, found) && minute - last < kActiveFor) continue;
    const std::lock_guard lock(mutex_);
    const auto still = active_.find(name);
    if (still != active_.end() && still->second == last) active_.erase(still);
  }
  const std::lock_guard lock(mutex_);
  co_return !active_.empty();
}

Task<bool> QueueGauges::measure_one(const QueueAddress& address, base::Time minute,
                                    std::vector<PlatformMetrics::Gathered>& found) {
  auto snapshot = store_.snapshot();
  const QueuePtr queue = co_await queues_.find(*snapshot, address);
  snapshot.reset();
  if (!queue) co_return false;
  const base::Time now = clock_.now();
  const Counts counts = co_await count_messages(store_, *queue, now);
  const auto add = [&](const PlatformMetric& metric, double value) {
    PlatformMetrics::Gathered one{&metric, address.account, address.region, address.name, "", minute, {}};
    one.values.add(value);
    found.push_back(std::move(one));
  };
  add(kVisible, static_cast<double>(counts.visible));
  add(kNotVisible, static_cast<double>(counts.in_flight));
  add(kDelayed, static_cast<double>(counts.delayed));
  const auto oldest = co_await oldest_message(store_, *queue, now);
  const base::Duration age = oldest ? now - *oldest : base::Duration::zero();
  add(kOldest, std::chrono::duration<double>(std::chrono::floor<std::chrono::seconds>(age)).count());
  co_return counts.visible + counts.in_flight + counts.delayed > 0;
}

}  // namespace tidemill::sqs

// The metrics of queues under AWS's names. SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS".
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "services/sqs/queue.h"
#include "store/store.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::sqs {

inline constexpr std::string_view kMetricsNamespace = "AWS/SQS";
inline constexpr wire::PlatformMetric kMessagesSent{kMetricsNamespace, "NumberOfMessagesSent", "Count", "QueueName"};
inline constexpr wire::PlatformMetric kSentMessageSize{kMetricsNamespace, "SentMessageSize", "Bytes", "QueueName"};
inline constexpr wire::PlatformMetric kMessagesReceived{kMetricsNamespace, "NumberOfMessagesReceived", "Count",
                                                        "QueueName"};
inline constexpr wire::PlatformMetric kEmptyReceives{kMetricsNamespace, "NumberOfEmptyReceives", "Count", "QueueName"};
inline constexpr wire::PlatformMetric kMessagesDeleted{kMetricsNamespace, "NumberOfMessagesDeleted", "Count",
                                                       "QueueName"};

// What queues hold: ApproximateNumberOfMessages(Not)Visible, …Delayed and ApproximateAgeOfOldestMessage. A queue is
// looked at, once a minute, while something happens to it, and then as long as it holds messages, for six hours at most.
// The queues are known in memory only: after a restart a queue is looked at once something happens to it.
class QueueGauges final : public wire::PlatformMetrics::Gauges {
 public:
  static constexpr std::chrono::hours kActiveFor{6};  // for which AWS calls a queue active
  static constexpr size_t kQueuesMax = 10'000;        // that are looked at; what happens to others is counted all the same

  QueueGauges(store::Store& store, base::Clock& clock, QueueCache& queues)
      : store_(store), clock_(clock), queues_(queues) {}

  // Something comes into the queue beside its own requests: what another queue gives up, say.
  void touch(const QueueAddress& address);
  void note(const wire::PlatformMetrics::Gathered& gathered) override;
  Task<bool> measure(base::Time minute, std::vector<wire::PlatformMetrics::Gathered>& found) override;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;  // account, region, name

  void note(Name name, base::Time minute);
  // False: it need not be looked at again unless something happens.
  Task<bool> measure_one(const QueueAddress& address, base::Time minute,
                         std::vector<wire::PlatformMetrics::Gathered>& found);

  store::Store& store_;
  base::Clock& clock_;
  QueueCache& queues_;
  std::mutex mutex_;
  std::map<Name, base::Time> active_;  // with the minute in which something last happened
};

}  // namespace tidemill::sqs

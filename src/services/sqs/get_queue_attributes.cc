// What a queue is set to, and how much is in it.
#include <algorithm>
#include <array>

#include "engine/policy_principals.h"
#include "services/sqs/counts.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_attributes.h"

namespace tidemill::sqs {
namespace {

constexpr std::array kSettings{"Policy",
                               "VisibilityTimeout",
                               "MaximumMessageSize",
                               "MessageRetentionPeriod",
                               "CreatedTimestamp",
                               "LastModifiedTimestamp",
                               "QueueArn",
                               "DelaySeconds",
                               "ReceiveMessageWaitTimeSeconds",
                               "RedrivePolicy",
                               "FifoQueue",
                               "ContentBasedDeduplication",
                               "DeduplicationScope",
                               "FifoThroughputLimit",
                               "RedriveAllowPolicy",
                               "SqsManagedSseEnabled",
                               "KmsMasterKeyId",
                               "KmsDataKeyReusePeriodSeconds"};
constexpr std::array kCounts{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible",
                             "ApproximateNumberOfMessagesDelayed"};

}  // namespace

Task<shapes::GetQueueAttributesOutput> get_queue_attributes(Service& service, wire::Context& context,
                                                            const shapes::GetQueueAttributesInput& request) {
  const QueuePtr queue = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  const std::vector<std::string> names = request.attribute_names.value_or(std::vector<std::string>{});
  for (const std::string& name : names) {
    if (name != "All" && !is_attribute(name)) throw unknown_attribute(name);
  }
  const auto is_wanted = [&](std::string_view name) {
    return std::ranges::any_of(names, [&](const std::string& want) { return want == "All" || want == name; });
  };
  std::map<std::string, std::string> attributes;
  for (const char* name : kSettings) {
    if (!is_wanted(name)) continue;
    if (auto value = effective_attribute(*queue, name)) attributes.emplace(name, *std::move(value));
  }
  if (const auto policy = attributes.find("Policy"); policy != attributes.end()) {
    policy->second = co_await engine::with_arns(context, std::move(policy->second));
  }
  if (std::ranges::any_of(kCounts, is_wanted)) {
    const Counts counts = co_await count_messages(service.store(), *queue, context.now());
    const std::array<uint64_t, 3> values{counts.visible, counts.in_flight, counts.delayed};
    for (size_t i = 0; i < kCounts.size(); ++i) {
      if (is_wanted(kCounts[i])) attributes.emplace(kCounts[i], std::to_string(values[i]));
    }
  }
  shapes::GetQueueAttributesOutput out;
  if (!attributes.empty()) out.attributes = std::move(attributes);
  co_return out;
}

}  // namespace tidemill::sqs

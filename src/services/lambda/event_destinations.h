// Where the ends of events are told. Two kinds of deliveries, which differ in what is counted when they cannot be made:
//
//   "lambda-destination"   records for destinations; DestinationDeliveryFailures
//   "lambda-dead-letter"   events for dead-letter targets; DeadLetterErrors
//
// Their target is the ARN of a queue, a topic, a bucket or a function.
#pragma once

#include <string>
#include <string_view>

#include "engine/deliveries.h"
#include "engine/targets/message_attributes.h"
#include "wire/context.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::lambda {

// Of the events that records for buses become.
inline constexpr std::string_view kRecordSource = "lambda";
[[nodiscard]] std::string record_detail_type(bool is_success);

enum class OutgoingKind { destination, dead_letter };

struct Outgoing {
  std::string function_arn;  // whose event it was; unqualified
  std::string role;          // the function's, which acts, whatever becomes of the function; empty: of before it was kept
  std::string trace_header;  // the chain goes on
  std::string key;           // for buckets
  engine::MessageAttributes attributes;  // for queues and topics
  std::string body;
};

// `id` is unique among all of the kind.
Task<void> enqueue_outgoing(store::Transaction& txn, OutgoingKind kind, std::string_view id, std::string target,
                            const Outgoing& outgoing, base::Time now);

// Before the timers start. What is passed outlives the deliveries; `usage` may be null.
void register_outgoing(engine::Deliveries& deliveries, wire::Platform& platform, wire::PlatformMetrics* usage);

}  // namespace tidemill::lambda

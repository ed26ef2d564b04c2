// The target kinds that every service's deliveries may use:
//
//   store::Delivery delivery{.id = …, .target_kind = std::string(kQueueTarget), .target = queue_arn, .payload = text};
//   co_await store::enqueue_delivery(txn, std::move(delivery), now);
//
// A service with needs of its own (a payload that several deliveries share, say) registers a kind of its own and calls
// what stands beside this: queue_target.h, topic_target.h, bucket_target.h, bus_target.h,
// function_target.h, http_target.h.
#pragma once

#include <string_view>

#include "engine/deliveries.h"
#include "engine/targets/http_target.h"
#include "wire/context.h"

namespace tidemill::engine {

inline constexpr std::string_view kQueueTarget = "sqs";                 // an ARN; the payload is the message's body
inline constexpr std::string_view kQueueMessageTarget = "sqs-message";  // the same; encode_queue_message()
inline constexpr std::string_view kQueueLetterTarget = "sqs-letter";    // the same; encode_queue_letter()
inline constexpr std::string_view kTopicTarget = "sns";                 // an ARN; the payload is the message
inline constexpr std::string_view kTopicMessageTarget = "sns-message";  // the same; encode_topic_message()
inline constexpr std::string_view kBucketTarget = "s3";                 // a bucket's ARN; encode_bucket_object()
inline constexpr std::string_view kFunctionTarget = "lambda";           // an ARN; the payload is JSON
inline constexpr std::string_view kBusTarget = "events-bus";           // a bus's ARN; encode_bus_event()
inline constexpr std::string_view kUrlTarget = "http";                  // a URL, also https; the payload is JSON

// Before the timers start. What is passed outlives the deliveries.
void add_senders(Deliveries& deliveries, wire::Platform& platform, HttpSend http);

}  // namespace tidemill::engine

// Where a bucket's events go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "services/s3/bucket.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::s3 {

enum class TargetKind { queue, topic, function };

// The target kind of events, whose sender is send_event. Where policies are enforced, the target's must let S3 tell it.
inline constexpr std::string_view kEventTarget = "s3-event";
Task<store::SendOutcome> send_event(wire::Platform& platform, const store::Delivery& delivery);

// Of topics, as earlier versions have left deliveries.
inline constexpr std::string_view kTopicTarget = "s3-topic";
Task<store::SendOutcome> publish_event(wire::Platform& platform, const store::Delivery& delivery);

// The delivery of an event to it, not yet enqueued.
[[nodiscard]] store::Delivery delivery_to(TargetKind kind, const Bucket& bucket, std::string target,
                                          std::string document);

// Why the bucket's events cannot go there, in AWS's words; nothing: they can.
Task<std::optional<std::string>> find_fault(wire::Context& context, const Bucket& bucket, TargetKind kind,
                                            std::string arn);

}  // namespace tidemill::s3

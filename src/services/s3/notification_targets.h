// Where a bucket's events go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::s3 {

enum class TargetKind { queue, topic, function };

// The target kind of topics, whose sender is publish_event.
inline constexpr std::string_view kTopicTarget = "s3-topic";
Task<store::SendOutcome> publish_event(wire::Platform& platform, const store::Delivery& delivery);

// The delivery of an event to it, not yet enqueued.
[[nodiscard]] store::Delivery delivery_to(TargetKind kind, std::string target, std::string document);

// Why events cannot go there, in AWS's words; nothing: they can.
Task<std::optional<std::string>> find_fault(wire::Context& context, TargetKind kind, std::string arn);

}  // namespace tidemill::s3

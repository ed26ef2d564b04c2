// DestinationConfig of a mapping: where the records of discarded batches are told of. Standard queues, standard topics
// and buckets (developer guide, "Retain discarded records").
#pragma once

#include <optional>
#include <string>

#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// Throws InvalidParameterValueException for what no document can be sent to. Whether the queue, topic or bucket is
// there shows when there is something to send.
void check_failure_destination(const std::optional<wire::lambda::DestinationConfig>& destinations);

// The ARN; empty: none.
[[nodiscard]] std::string failure_destination_of(const wire::lambda::DestinationConfig& destinations);

}  // namespace tidemill::lambda

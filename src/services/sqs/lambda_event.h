// A message as it stands in the "Records" of a function's event (facts 1.6; developer guide, "Example Amazon SQS message
// event").
#pragma once

#include <string>
#include <string_view>

#include "services/sqs/queue.h"
#include "services/sqs/taking.h"

namespace tidemill::sqs {

[[nodiscard]] std::string lambda_event_json(const Queue& queue, const Taken& taken, std::string_view receipt_handle);

}  // namespace tidemill::sqs

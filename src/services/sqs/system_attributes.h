// What receivers are told of a message beside what its sender gave it: ReceiveMessage's Attributes, and the "attributes"
// of a function's record.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/sqs/queue.h"
#include "services/sqs/taking.h"

namespace tidemill::sqs {

// All that the message has, in AWS's order.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> system_attributes(const Queue& queue,
                                                                                      const Taken& taken);

}  // namespace tidemill::sqs

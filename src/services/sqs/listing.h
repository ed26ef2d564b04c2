// Pages of queues' URLs, by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/sqs/service.h"
#include "wire/context.h"

namespace tidemill::sqs {

struct QueuePage {
  std::vector<std::string> urls;
  std::optional<std::string> next_token;
};

// The caller's queues of which `accepts` is true. Throws InvalidParameterValue for what is no token or number of
// results.
Task<QueuePage> list_page(Service& service, wire::Context& context, std::optional<std::string> token,
                          std::optional<int32_t> results_max, std::function<bool(const Queue&)> accepts);

}  // namespace tidemill::sqs

#include "services/sqs/listing.h"

#include "base/base64.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

constexpr int kResultsMax = 1'000;

}  // namespace

Task<QueuePage> list_page(Service& service, wire::Context& context, std::optional<std::string> token,
                          std::optional<int32_t> results_max, std::function<bool(const Queue&)> accepts) {
  const int limit = results_max.value_or(kResultsMax);
  if (limit < 1 || limit > kResultsMax) {
    throw invalid_parameter(std::to_string(limit), "MaxResults", "MaxResults must be an integer between 1 and 1000.");
  }
  store::Range range = queues_range(context.account, context.region);
  if (token && !token->empty()) {
    const auto after = base::base64_decode(*token);
    if (!after) throw errors::invalid_parameter_value_exception("Invalid or expired next token.");
    range.begin = queue_key({context.account, context.region, *after}) + '\0';
  }
  QueuePage page;
  std::string last;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto address = queue_of_key(key);
    if (!address) return true;
    const Queue queue = decode_queue(*std::move(address), value);
    if (!accepts(queue)) return true;
    if (page.urls.size() == static_cast<size_t>(limit)) {
      // Without a limit of its own a request gets what fits, and no token.
      if (results_max) page.next_token = base::base64_encode(last);
      return false;
    }
    page.urls.push_back(queue.address.url(context));
    last = queue.address.name;
    return true;
  });
  co_return page;
}

}  // namespace tidemill::sqs

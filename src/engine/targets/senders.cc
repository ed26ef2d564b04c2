#include "engine/targets/senders.h"

#include "engine/targets/function_target.h"
#include "engine/targets/queue_target.h"

namespace tidemill::engine {
namespace {

Task<store::SendOutcome> send_body(wire::Platform& platform, const store::Delivery& delivery) {
  const QueueMessage message{.body = delivery.payload};
  co_return co_await send_to_queue(platform, delivery.target, message);
}

Task<store::SendOutcome> send_message(wire::Platform& platform, const store::Delivery& delivery) {
  const QueueMessage message = decode_queue_message(delivery.payload);
  co_return co_await send_to_queue(platform, delivery.target, message);
}

Task<store::SendOutcome> post(const HttpSend& http, const store::Delivery& delivery) {
  net::HttpCall call{.url = delivery.target, .body = delivery.payload};
  call.headers.add("Content-Type", "application/json");
  co_return co_await post_to_url(http, std::move(call));
}

}  // namespace

void add_senders(Deliveries& deliveries, wire::Platform& platform, HttpSend http) {
  deliveries.send_with(kQueueTarget,
                       [&platform](const store::Delivery& delivery) { return send_body(platform, delivery); });
  deliveries.send_with(kQueueMessageTarget,
                       [&platform](const store::Delivery& delivery) { return send_message(platform, delivery); });
  deliveries.send_with(kFunctionTarget, [&platform](const store::Delivery& delivery) {
    return invoke_function(platform, delivery.target, delivery.payload, delivery.attempts);
  });
  deliveries.send_with(kUrlTarget,
                       [http = std::move(http)](const store::Delivery& delivery) { return post(http, delivery); });
}

}  // namespace tidemill::engine

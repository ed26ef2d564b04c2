#include "engine/targets/senders.h"

#include "engine/targets/bucket_target.h"
#include "engine/targets/bus_target.h"
#include "engine/targets/function_target.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"

namespace tidemill::engine {
namespace {

Task<store::SendOutcome> send_body(wire::Platform& platform, const store::Delivery& delivery) {
  const QueueMessage message{.body = delivery.payload, .trace_header = delivery.trace_header};
  co_return co_await send_to_queue(platform, delivery.target, message);
}

Task<store::SendOutcome> send_message(wire::Platform& platform, const store::Delivery& delivery) {
  QueueMessage message = decode_queue_message(delivery.payload);
  message.trace_header = delivery.trace_header;
  co_return co_await send_to_queue(platform, delivery.target, message);
}

Task<store::SendOutcome> send_letter(wire::Platform& platform, const store::Delivery& delivery) {
  QueueLetter letter = decode_queue_letter(delivery.payload);
  letter.message.trace_header = delivery.trace_header;
  co_return co_await send_to_queue(platform, delivery.target, letter.message, sender_of(std::move(letter.by)));
}

Task<store::SendOutcome> publish_body(wire::Platform& platform, const store::Delivery& delivery) {
  const TopicMessage message{.body = delivery.payload, .trace_header = delivery.trace_header};
  co_return co_await publish_to_topic(platform, delivery.target, message);
}

Task<store::SendOutcome> publish_message(wire::Platform& platform, const store::Delivery& delivery) {
  TopicMessage message = decode_topic_message(delivery.payload);
  message.trace_header = delivery.trace_header;
  co_return co_await publish_to_topic(platform, delivery.target, message);
}

Task<store::SendOutcome> put_object(wire::Platform& platform, const store::Delivery& delivery) {
  const BucketObject object = decode_bucket_object(delivery.payload);
  co_return co_await put_into_bucket(platform, delivery.target, object);
}

Task<store::SendOutcome> put_event(wire::Platform& platform, const store::Delivery& delivery) {
  BusEvent event = decode_bus_event(delivery.payload);
  event.trace_header = delivery.trace_header;
  std::vector<std::string> resources;
  if (!event.resource.empty()) resources.push_back(event.resource);
  co_return co_await put_on_bus(platform, delivery.target, std::move(resources), std::move(event), delivery.created);
}

Task<store::SendOutcome> post(const HttpSend& http, const store::Delivery& delivery) {
  net::HttpCall call{.url = delivery.target, .body = delivery.payload};
  call.headers.add("Content-Type", "application/json");
  co_return co_await post_to_url(http, std::move(call));
}

}  // namespace

void add_senders(Deliveries& deliveries, wire::Platform& platform, HttpSend http) {
  const auto send_with = [&](std::string_view kind, auto* send) {
    deliveries.send_with(kind, [&platform, send](const store::Delivery& delivery) { return send(platform, delivery); });
  };
  send_with(kQueueTarget, send_body);
  send_with(kQueueMessageTarget, send_message);
  send_with(kQueueLetterTarget, send_letter);
  send_with(kTopicTarget, publish_body);
  send_with(kTopicMessageTarget, publish_message);
  send_with(kBucketTarget, put_object);
  send_with(kBusTarget, put_event);
  deliveries.send_with(kFunctionTarget, [&platform](const store::Delivery& delivery) {
    return invoke_function(platform, delivery.target, delivery.payload, delivery.trace_header);
  });
  deliveries.send_with(kUrlTarget,
                       [http = std::move(http)](const store::Delivery& delivery) { return post(http, delivery); }, {}, {},
                       {.targets = Targets::may_hang});
}

}  // namespace tidemill::engine

#include "base/json_record.h"
#include "engine/targets/internal_call.h"
#include "services/cloudwatch/alarm_change.h"
#include "wire/registry.h"
#include "wire/shapes/sns.h"

namespace tidemill::cloudwatch {

Task<store::SendOutcome> tell_topic(wire::Platform& platform, const store::Delivery& delivery) {
  const json::Record payload("alarm delivery", delivery.payload);
  wire::sns::PublishInput request;
  request.topic_arn = delivery.target;
  request.subject = payload.text("subject");
  request.message = payload.text("message");
  wire::Context context = engine::internal_context(platform, delivery.target);
  try {
    co_await platform.registry.call<wire::sns::ops::Publish>(context, request);
  } catch (const wire::Error& error) {
    co_return engine::outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{store::SendStatus::unavailable, error.what()};
  }
  co_return store::SendOutcome{};
}

}  // namespace tidemill::cloudwatch

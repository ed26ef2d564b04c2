#include "base/json_record.h"
#include "engine/targets/topic_target.h"
#include "services/cloudwatch/alarm_change.h"

namespace tidemill::cloudwatch {

Task<store::SendOutcome> tell_topic(wire::Platform& platform, const store::Delivery& delivery) {
  const json::Record payload("alarm delivery", delivery.payload);
  const engine::TopicMessage message{.body = payload.text("message"), .subject = payload.text("subject")};
  co_return co_await engine::publish_to_topic(platform, delivery.target, message);
}

}  // namespace tidemill::cloudwatch

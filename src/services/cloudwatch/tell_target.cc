#include "base/json_record.h"
#include "engine/targets/function_target.h"
#include "engine/targets/topic_target.h"
#include "services/cloudwatch/alarm_change.h"

namespace tidemill::cloudwatch {

Task<store::SendOutcome> tell_topic(wire::Platform& platform, const store::Delivery& delivery) {
  const json::Record payload("alarm delivery", delivery.payload);
  const engine::TopicMessage message{.body = payload.text("message"), .subject = payload.text("subject")};
  // What is told names the alarm, also in deliveries from before this was asked.
  auto by = wire::Principal::service("cloudwatch.amazonaws.com",
                                     json::Record("alarm message", message.body).text("AlarmArn"));
  co_return co_await engine::publish_to_topic(platform, delivery.target, message, std::move(by));
}

Task<store::SendOutcome> tell_function(wire::Platform& platform, const store::Delivery& delivery) {
  auto by = wire::Principal::service("lambda.alarms.cloudwatch.amazonaws.com",
                                     json::Record("alarm event", delivery.payload).text("alarmArn"));
  co_return co_await engine::invoke_function(platform, delivery.target, delivery.payload, delivery.trace_header,
                                             std::move(by));
}

}  // namespace tidemill::cloudwatch

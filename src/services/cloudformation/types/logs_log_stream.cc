// AWS::Logs::LogStream.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kLogStreamNameSizeMax = 512;

constexpr Property kLogStreamProperties[] = {
    {.name = "LogGroupName", .required = true, .update = Update::replaces},
    {.name = "LogStreamName", .update = Update::replaces},
};

Task<bool> log_stream_exists(Step& step, std::string group, std::string name) {
  const json::Value answer = co_await step.call(
      "logs", "DescribeLogStreams", json::Object{{"LogGroupName", group}, {"LogStreamNamePrefix", name}, {"Limit", 1}});
  for (const json::Value& stream : list_of(answer.object(), "LogStreams")) {
    if (text_of(stream.object(), "LogStreamName") == name) co_return true;
  }
  co_return false;
}

Task<std::string> create_log_stream(Step& step, const json::Object& properties) {
  const std::string group = text_of(properties, "LogGroupName");
  const std::string name = name_of(step, properties, "LogStreamName", kLogStreamNameSizeMax);
  if (properties.find("LogStreamName") && !has_claimed(step)) {
    if (co_await log_stream_exists(step, group, name)) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  co_await step.call_or_null("logs", "CreateLogStream", json::Object{{"LogGroupName", group}, {"LogStreamName", name}},
                             {"ResourceAlreadyExistsException"});
  co_return name;
}

Task<void> remove_log_stream(Step& step, std::string name, const json::Object& properties) {
  const json::Object key{{"LogGroupName", text_of(properties, "LogGroupName")}, {"LogStreamName", name}};
  co_await step.call_or_null("logs", "DeleteLogStream", key, {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kLogsLogStream = {
    .name = "AWS::Logs::LogStream",
    .properties = kLogStreamProperties,
    .create = create_log_stream,
    .remove = remove_log_stream,
    .name_property = "LogStreamName",
};

}  // namespace tidemill::cloudformation

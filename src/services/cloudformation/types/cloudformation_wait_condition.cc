// AWS::CloudFormation::WaitConditionHandle, a URL that is answered, and AWS::CloudFormation::WaitCondition, which waits
// for so many answers to it.
#include "base/text.h"
#include "services/cloudformation/answers.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr int64_t kWaitSecondsMax = 43'200;

constexpr Property kWaitProperties[] = {
    {.name = "Handle", .required = true, .update = Update::replaces},
    {.name = "Timeout", .kind = Kind::integer, .required = true, .update = Update::replaces},
    {.name = "Count", .kind = Kind::integer, .update = Update::replaces},
};

Task<std::string> create_wait_handle(Step& step, const json::Object&) {
  const Place place{step.account(), step.region()};
  const json::Value memory = step.memory();
  const json::Value* begun = memory.find("token");
  const std::string token = begun ? begun->string() : new_answer_token();
  if (!begun) co_await step.remember(json::Object{{"token", token}});
  co_await open_answers(step.context().store(), place, token);
  co_return answer_url(step.context().endpoint, place, token);
}

Task<void> remove_wait_handle(Step& step, std::string url, const json::Object&) {
  co_await close_answers(step.context().store(), {step.account(), step.region()}, token_of_url(url));
}

// The data of the successes by their ids. Throws StepFailed for an answer that tells a failure.
json::Object wait_successes(const std::vector<std::string>& answers) {
  json::Object result;
  for (const std::string& text : answers) {
    const auto answer = json::parse(text);
    const json::Value* state = answer ? answer->find("Status") : nullptr;
    const json::Value* id = answer ? answer->find("UniqueId") : nullptr;
    if (!state || !state->is_string() || !id || !id->is_string()) continue;  // AWS counts it for nothing
    if (state->string() == "FAILURE") {
      const json::Value* reason = answer->find("Reason");
      throw StepFailed(cat("WaitCondition received failed message: '", reason && reason->is_string() ? reason->string() : "",
                           "' for uniqueId: ", id->string()));
    }
    const json::Value* data = answer->find("Data");
    result.set(id->string(), data && data->is_string() ? data->string() : std::string());
  }
  return result;
}

int64_t wait_number(const json::Object& properties, std::string_view name, int64_t otherwise) {
  const json::Value* value = properties.find(name);
  return value ? value->to_int64().value_or(otherwise) : otherwise;
}

Task<std::string> create_wait(Step& step, const json::Object& properties) {
  const std::string token = token_of_url(text_of(properties, "Handle"));
  const int64_t seconds = wait_number(properties, "Timeout", 0), count = wait_number(properties, "Count", 1);
  if (seconds < 1 || seconds > kWaitSecondsMax) throw StepFailed(cat("Timeout must be between 1 and ", kWaitSecondsMax, " seconds."));
  const Place place{step.account(), step.region()};
  json::Object successes;
  const bool is_enough = co_await step.wait_for_topic(
      answer_topic(token),
      [&]() -> Task<bool> {
        const auto answers = co_await read_answers(step.context().store(), place, token);
        if (!answers) throw StepFailed("The wait condition's handle is not there.");
        successes = wait_successes(*answers);
        co_return successes.size() >= static_cast<size_t>(count);
      },
      std::chrono::seconds(seconds));
  if (!is_enough) {
    throw StepFailed(cat("WaitCondition timed out. Received ", successes.size(), " conditions when expecting ", count));
  }
  co_await step.remember(json::Object{{"data", json::write(successes)}});
  co_return cat(step.scope().stack_id, "/", step.physical_name(255));
}

Task<void> remove_wait(Step&, std::string, const json::Object&) { co_return; }

Task<json::Object> describe_wait(Step& step, std::string, const json::Object&) {
  const json::Value memory = step.memory();
  const json::Value* data = memory.find("data");
  co_return json::Object{{"Data", data ? *data : json::Value("{}")}};
}

}  // namespace

const ResourceType types::kCloudFormationWaitConditionHandle = {
    .name = "AWS::CloudFormation::WaitConditionHandle",
    .properties = {},
    .create = create_wait_handle,
    .remove = remove_wait_handle,
};

const ResourceType types::kCloudFormationWaitCondition = {
    .name = "AWS::CloudFormation::WaitCondition",
    .properties = kWaitProperties,
    .create = create_wait,
    .remove = remove_wait,
    .attributes = describe_wait,
};

}  // namespace tidemill::cloudformation

// AWS::CloudFormation::WaitConditionHandle, a URL that is answered, and AWS::CloudFormation::WaitCondition, which waits
// for so many answers to it, or, by its CreationPolicy, for so many signals of SignalResource.
#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "services/cloudformation/answers.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr int64_t kWaitSecondsMax = 43'200;

constexpr Property kWaitProperties[] = {
    {.name = "Handle", .update = Update::replaces},
    {.name = "Timeout", .kind = Kind::integer, .update = Update::replaces},
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

// ---- By a CreationPolicy --------------------------------------------------------------------------------------------

constexpr int64_t kSignalSecondsByDefault = 300;

// Of "PT1H30M5S"; nothing: it is none.
std::optional<int64_t> wait_seconds(std::string_view text) {
  if (!text.starts_with("PT") || text.size() == 2) return std::nullopt;
  text.remove_prefix(2);
  int64_t total = 0, number = -1;
  std::string_view units = "HMS";
  for (const char letter : text) {
    if (letter >= '0' && letter <= '9') {
      number = std::max<int64_t>(number, 0) * 10 + (letter - '0');
      if (number > kWaitSecondsMax) return std::nullopt;
      continue;
    }
    const size_t unit = units.find(letter);
    if (unit == std::string_view::npos || number < 0) return std::nullopt;
    total += number * (letter == 'H' ? 3'600 : letter == 'M' ? 60 : 1);
    units.remove_prefix(unit + 1);
    number = -1;
  }
  return number < 0 ? std::optional(total) : std::nullopt;
}

struct WaitSignals {
  int64_t count = 1;
  int64_t seconds = kSignalSecondsByDefault;
};

WaitSignals wait_signals(const json::Value& policy) {
  WaitSignals result;
  if (!policy.is_object()) throw StepFailed("CreationPolicy must be an object.");
  for (const auto& [name, of] : policy.object()) {
    if (name != "ResourceSignal" || !of.is_object()) {
      throw StepFailed(cat("Tidemill does not support ", name, " in the CreationPolicy of a wait condition."));
    }
    for (const auto& [member, value] : of.object()) {
      const std::string text = value.is_string() ? value.string() : json::write(value);
      if (member == "Count") {
        const auto number = json::parse(text);
        const auto count = number ? number->to_int64() : std::nullopt;
        if (!count || *count < 1 || *count > static_cast<int64_t>(kAnswersMax)) {
          throw StepFailed(cat("Invalid Count ", text, " in CreationPolicy."));
        }
        result.count = *count;
      } else if (member == "Timeout") {
        const auto seconds = wait_seconds(text);
        if (!seconds || *seconds > kWaitSecondsMax) throw StepFailed(cat("Invalid Timeout ", text, " in CreationPolicy."));
        result.seconds = *seconds;
      } else {
        throw StepFailed(cat("CreationPolicy's ResourceSignal has no ", member, "."));
      }
    }
  }
  return result;
}

Task<std::string> create_signalled_wait(Step& step) {
  const WaitSignals wanted = wait_signals(step.scope().creation_policy);
  const std::string token = signal_token(step.scope().stack_id, step.scope().logical_id, step.scope().operation);
  const Place place{step.account(), step.region()};
  std::set<std::string> received;
  const bool is_enough = co_await step.wait_for_topic(
      answer_topic(token),
      [&]() -> Task<bool> {
        const auto answers = co_await read_answers(step.context().store(), place, token);
        for (const std::string& text : answers.value_or(std::vector<std::string>())) {
          const auto answer = json::parse(text);
          const std::string id = answer->find("UniqueId")->string();
          if (answer->find("Status")->string() == "FAILURE") {
            throw StepFailed(cat("Received FAILURE signal with UniqueId ", id));
          }
          received.insert(id);
        }
        co_return received.size() >= static_cast<size_t>(wanted.count);
      },
      std::chrono::seconds(wanted.seconds));
  if (!is_enough) {
    throw StepFailed(cat("Failed to receive ", static_cast<size_t>(wanted.count) - received.size(),
                         " resource signal(s) within the specified duration"));
  }
  co_return cat(step.scope().stack_id, "/", step.physical_name(255));
}

// How it ended: {"id"}, {"failure"}, or null if it was cancelled.
Task<json::Value> end_of_signalled_wait(Step& step) {
  try {
    co_return json::Object{{"id", co_await create_signalled_wait(step)}};
  } catch (const StepFailed& failure) {
    co_return json::Object{{"failure", failure.what()}};
  } catch (const Cancelled&) {
    co_return json::Value();
  }
}

// And forgets the signals, which are acknowledged and come only once: not before how it ended is kept.
Task<std::string> create_by_signals(Step& step) {
  const std::string token = signal_token(step.scope().stack_id, step.scope().logical_id, step.scope().operation);
  json::Value end = step.memory();
  if (end.is_null()) {
    end = co_await end_of_signalled_wait(step);
    if (!end.is_null()) co_await step.remember(end);
  }
  co_await close_answers(step.context().store(), {step.account(), step.region()}, token);
  if (end.is_null()) throw Cancelled();
  if (const json::Value* failure = end.find("failure")) throw StepFailed(failure->string());
  co_return end.find("id")->string();
}

Task<std::string> create_wait(Step& step, const json::Object& properties) {
  if (!step.scope().creation_policy.is_null()) co_return co_await create_by_signals(step);
  for (const std::string_view name : {"Handle", "Timeout"}) {
    if (!properties.find(name)) {
      throw StepFailed(cat("Property validation failure: [The property {/", name, "} is required]"));
    }
  }
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

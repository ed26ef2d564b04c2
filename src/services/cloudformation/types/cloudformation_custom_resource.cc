// AWS::CloudFormation::CustomResource and Custom::Anything: a function, or who listens to a topic, makes the resource
// and answers at a URL. What was sent is remembered with the step, and so is the answer: after a crash it counts.
#include <optional>

#include "base/json_objects.h"
#include "base/text.h"
#include "services/cloudformation/answers.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/types/types.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr int64_t kCustomTimeoutSeconds = 3'600;
constexpr size_t kCustomIdBytesMax = 1'024;
constexpr std::string_view kDelete = "Delete";

constexpr Property kCustomProperties[] = {
    {.name = "ServiceToken", .required = true},
    {.name = "ServiceTimeout", .kind = Kind::integer},
};

// All scalars are text.
json::Value custom_texts(const json::Value& value) {
  if (value.is_number()) return value.number_text();
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_array()) {
    json::Array result;
    for (const json::Value& one : value.array()) result.push_back(custom_texts(one));
    return result;
  }
  if (value.is_object()) {
    std::vector<json::Member> members;
    members.reserve(value.object().size());
    for (const auto& [name, one] : value.object()) members.emplace_back(name, custom_texts(one));
    return json::object_of(std::move(members));
  }
  return value;
}

// Nothing: what ServiceTimeout says is none.
std::optional<base::Duration> custom_timeout(const json::Object& properties) {
  const json::Value* given = properties.find("ServiceTimeout");
  const int64_t seconds = given ? given->to_int64().value_or(0) : kCustomTimeoutSeconds;
  if (seconds < 1 || seconds > kCustomTimeoutSeconds) return std::nullopt;
  return std::chrono::seconds(seconds);
}

struct CustomRequest {
  std::string_view type;  // Create, Update, Delete
  std::string physical_id;  // once it is answered: what the answer calls it, also one that tells a failure
  const json::Object* before = nullptr;
};

json::Object custom_request(Step& step, const CustomRequest& what, const json::Object& properties,
                            const std::string& request_id, const std::string& url) {
  json::Object request{{"RequestType", what.type},
                       {"ServiceToken", text_of(properties, "ServiceToken")},
                       {"ResponseURL", url},
                       {"StackId", step.scope().stack_id},
                       {"RequestId", request_id},
                       {"LogicalResourceId", step.scope().logical_id}};
  if (!what.physical_id.empty()) request.set("PhysicalResourceId", what.physical_id);
  request.set("ResourceType", step.scope().type);
  request.set("ResourceProperties", custom_texts(json::Value(properties)));
  if (what.before) request.set("OldResourceProperties", custom_texts(json::Value(*what.before)));
  return request;
}

bool is_function(std::string_view token) { return token.starts_with("arn:aws:lambda:"); }

// Whether what stands behind the token reaches this server by AWS's name, as the runtimes of these languages do. Many
// answer there whatever scheme and port a URL has. It is asked as the platform: whoever has the stack need not be let
// see the function.
Task<bool> knows_awss_name(Step& step, const std::string& token) {
  if (!is_function(token)) co_return false;
  wire::Context asking = step.context();
  asking.principal = wire::Principal::platform();
  try {
    const json::Value function = co_await asking.registry().call(asking, "lambda", "GetFunctionConfiguration",
                                                                 json::Object{{"FunctionName", token}});
    const json::Value* runtime = function.find("Runtime");
    co_return runtime && runtime->is_string() &&
        (runtime->string().starts_with("nodejs") || runtime->string().starts_with("python"));
  } catch (const wire::Error&) {
    co_return false;  // what cannot be called says so when it is
  }
}

Task<void> send_custom(Step& step, const std::string& token, json::Object request) {
  const std::string service = is_function(token) ? "lambda" : token.starts_with("arn:aws:sns:") ? "sns" : "";
  if (service.empty()) throw StepFailed(cat("Invalid service token: ", token));
  const std::string text = json::write(request);
  if (service == "lambda") {
    co_await step.call("lambda", "Invoke", json::Object{{"FunctionName", token}, {"InvocationType", "Event"}, {"Payload", text}});
  } else {
    co_await step.call("sns", "Publish", json::Object{{"TopicArn", token}, {"Subject", "AWS CloudFormation custom resource request"}, {"Message", text}});
  }
}

struct CustomAnswer {
  std::string physical_id;
  json::Object data;
  bool no_echo = false;
};

// `known_id`: what it has been called so far, or what this answer calls it.
CustomAnswer read_custom(const std::string& text, const std::string& request_id, std::string& known_id) {
  if (text.size() > kAnswerBytesMax) throw StepFailed("Response object is too long.");
  const auto answer = json::parse(text);
  const json::Value* state = answer ? answer->find("Status") : nullptr;
  if (!state || !state->is_string() || (state->string() != "SUCCESS" && state->string() != "FAILED")) {
    throw StepFailed("Invalid response object: Value of property Status must be SUCCESS or FAILED");
  }
  const json::Value* id = answer->find("PhysicalResourceId");
  if (id && id->is_string() && !id->string().empty()) known_id = id->string();
  if (state->string() == "FAILED") {
    const json::Value* reason = answer->find("Reason");
    throw StepFailed(cat("Received response status [FAILED] from custom resource. Message returned: ",
                         reason && reason->is_string() ? reason->string() : "", " (RequestId: ", request_id, ")"));
  }
  CustomAnswer result{.physical_id = known_id};
  if (result.physical_id.empty() || result.physical_id.size() > kCustomIdBytesMax) throw StepFailed("Invalid PhysicalResourceId");
  if (const json::Value* data = answer->find("Data"); data && data->is_object()) result.data = data->object();
  const json::Value* no_echo = answer->find("NoEcho");
  result.no_echo = no_echo && (no_echo->is_boolean() ? no_echo->boolean() : no_echo->is_string() && no_echo->string() == "true");
  return result;
}

// Of what is given up: its answer is not wanted any more.
Task<void> close_custom(Step& step) {
  const json::Value memory = step.memory();
  const json::Value* token = memory.find("token");
  if (token) co_await close_answers(step.context().store(), {step.account(), step.region()}, token->string());
}

// Sends the request, unless a try before has, and waits for the answer. That is acknowledged and comes only once: where
// it came in is not closed before the step remembers it, and it is remembered until the resource is written.
Task<CustomAnswer> ask_custom(Step& step, CustomRequest& what, const json::Object& properties) {
  const auto timeout = custom_timeout(properties);
  // Before anything is sent. What stands with such a time is removed all the same.
  if (!timeout && what.type != kDelete) {
    throw StepFailed(cat("ServiceTimeout must be between 1 and ", kCustomTimeoutSeconds, " seconds."));
  }
  store::Store& store = step.context().store();
  const Place place{step.account(), step.region()};
  std::string token, request_id;
  const json::Value memory = step.memory();
  if (const json::Value* sent = memory.find("token")) {
    token = sent->string();
    request_id = memory.find("request_id")->string();
  } else {
    token = new_answer_token();
    request_id = step.client_token(what.type);
    co_await open_answers(store, place, token);
    const std::string service_token = text_of(properties, "ServiceToken");
    const std::string url = co_await knows_awss_name(step, service_token)
                                ? answer_url_of_aws(place, token)
                                : answer_url(step.context().endpoint, place, token);
    // First sent, then remembered: after a crash between the two it is sent again, under the same id, to a new URL.
    co_await send_custom(step, service_token, custom_request(step, what, properties, request_id, url));
    co_await step.remember(json::Object{{"token", token}, {"request_id", request_id}});
  }
  std::optional<std::string> text;
  if (const json::Value* kept = memory.find("answer")) {
    text = kept->string();
  } else {
    (void)co_await step.wait_for_topic(
        answer_topic(token),
        [&]() -> Task<bool> {
          const auto answers = co_await read_answers(store, place, token);
          if (answers && !answers->empty()) text = answers->front();
          co_return !answers || !answers->empty();  // closed: a try before has waited long enough
        },
        timeout.value_or(std::chrono::seconds(kCustomTimeoutSeconds)));
    if (text) {
      co_await step.remember(json::Object{{"token", token}, {"request_id", request_id}, {"answer", *text}});
    }
  }
  co_await close_answers(store, place, token);
  if (!text) {
    throw StepFailed(cat("CloudFormation did not receive a response from your Custom Resource. Please check your logs for "
                         "requestId [", request_id, "]. If you are using the Python cfn-response module, you may need to "
                         "update your Lambda function code so that CloudFormation can attach the updated version."));
  }
  CustomAnswer answer = read_custom(*text, request_id, what.physical_id);
  if (answer.no_echo) step.hide_attributes();
  co_return answer;
}

Task<std::string> create_custom(Step& step, const json::Object& properties) {
  CustomRequest what{.type = "Create"};
  std::exception_ptr problem;
  try {
    co_return (co_await ask_custom(step, what, properties)).physical_id;
  } catch (const StepFailed&) {
    problem = std::current_exception();
  } catch (const Cancelled&) {
    problem = std::current_exception();
  }
  // It may have made something: so it is told to remove it, by a name that CloudFormation makes up if it gave none.
  const bool was_sent = step.memory().find("token") != nullptr;
  if (was_sent) {
    co_await close_custom(step);
    co_await step.made(what.physical_id.empty() ? step.physical_name(kCustomIdBytesMax) : what.physical_id);
  }
  std::rethrow_exception(problem);
}

// Who has made it knows how to change and to remove it.
std::string_view why_custom_stays(const json::Object& before, const json::Object& after) {
  return same_member(before, after, "ServiceToken") ? "" : "Modifying service token is not allowed.";
}

Task<std::string> update_custom(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  CustomRequest what{.type = "Update", .physical_id = id, .before = &before};
  std::exception_ptr cancelled;
  try {
    co_return (co_await ask_custom(step, what, after)).physical_id;
  } catch (const Cancelled&) {
    cancelled = std::current_exception();
  }
  co_await close_custom(step);
  std::rethrow_exception(cancelled);
}

Task<void> remove_custom(Step& step, std::string id, const json::Object& properties) {
  CustomRequest what{.type = kDelete, .physical_id = id};
  (void)co_await ask_custom(step, what, properties);
}

// What GetAtt gives of it is what it has just answered.
Task<json::Object> describe_custom(Step& step, std::string id, const json::Object&) {
  const json::Value memory = step.memory();
  const json::Value* answer = memory.find("answer");
  if (!answer) co_return json::Object();
  co_return read_custom(answer->string(), "", id).data;
}

}  // namespace

const ResourceType types::kCloudFormationCustomResource = {
    .name = "AWS::CloudFormation::CustomResource",
    .properties = kCustomProperties,
    .create = create_custom,
    .update = update_custom,
    .remove = remove_custom,
    .attributes = describe_custom,
    .refuses = why_custom_stays,
    .takes_any_property = true,
};

}  // namespace tidemill::cloudformation

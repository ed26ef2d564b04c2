#include "services/pipes/http_values.h"

#include "base/text.h"
#include "engine/targets/internal_call.h"
#include "services/pipes/compute.h"
#include "wire/shapes/events.h"

namespace tidemill::pipes {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using Named = std::vector<std::pair<std::string, ParameterValue>>;
using TextMap = std::map<std::string, std::string>;

Named named(const std::optional<TextMap>& map) {
  Named values;
  for (const auto& [name, text] : map.value_or(TextMap())) values.emplace_back(name, ParameterValue(text));
  return values;
}

TextMap texts(const Named& values, const Event& event) {
  TextMap map;
  for (const auto& [name, value] : values) map.emplace(name, value.of(event));
  return map;
}

InvokeOutcome outcome_of_answer(wire::events::InvokeApiDestinationOutput answer) {
  constexpr int kTooManyRequests = 429;
  const int status = answer.status_code;
  if (status >= 200 && status < 300) return {.payload = std::move(answer.body)};
  return {.status = status == kTooManyRequests ? InvokeStatus::throttled : InvokeStatus::function_error,
          .detail = base::cat("the endpoint answered ", status)};
}

}  // namespace

HttpValues http_values(const std::optional<shapes::PipeHttpParameters>& parameters) {
  HttpValues values;
  if (!parameters) return values;
  for (const std::string& text : parameters->path_parameter_values.value_or(std::vector<std::string>())) {
    values.path.emplace_back(text);
  }
  values.headers = named(parameters->header_parameters);
  values.query = named(parameters->query_string_parameters);
  return values;
}

Task<InvokeOutcome> call_api_destination(wire::Platform& platform, const Pipe& pipe, std::string arn,
                                         const HttpValues& values, const Event& event, std::string body) {
  wire::events::InvokeApiDestinationInput request{.api_destination_arn = std::move(arn), .body = std::move(body)};
  request.http_parameters.emplace();
  request.http_parameters->path_parameter_values.emplace();
  for (const ParameterValue& value : values.path) {
    request.http_parameters->path_parameter_values->push_back(value.of(event));
  }
  request.http_parameters->header_parameters = texts(values.headers, event);
  request.http_parameters->query_string_parameters = texts(values.query, event);
  wire::Context context = engine::internal_context(platform, pipe.address.arn(), principal_of(pipe));
  try {
    co_return outcome_of_answer(
        co_await platform.registry.call<wire::events::ops::InvokeApiDestination>(context, request));
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return InvokeOutcome{.status = InvokeStatus::throttled, .detail = error.what()};
  }
}

}  // namespace tidemill::pipes

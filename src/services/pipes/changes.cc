#include "services/pipes/changes.h"

#include "base/text.h"
#include "services/pipes/errors.h"
#include "services/pipes/source.h"
#include "wire/arn.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"

namespace tidemill::pipes {
namespace {

using base::cat;

constexpr int kServerError = 500;

// Whether the call finds what it asks for.
template <class Op>
Task<bool> finds(wire::Context& context, typename Op::Request request) {
  try {
    (void)co_await context.registry().call<Op>(context, request);
    co_return true;
  } catch (const wire::Error& error) {
    if (error.http_status >= kServerError) throw;
    co_return false;
  }
}

bool is_of_caller(const wire::Context& context, std::string_view text) {
  const auto arn = wire::parse_arn(text);
  return arn && arn->account == context.account && arn->region == context.region;
}

Task<bool> is_there(Service& service, wire::Context& context, std::string source) {
  if (!is_of_caller(context, source)) co_return false;
  if (engine::QueueSource* queue = service.queue_of(source)) co_return (co_await queue->describe(source)).has_value();
  engine::StreamSource* stream = service.stream_of(source);
  co_return stream&& co_await stream->exists(source);
}

Task<bool> takes_dead_letters(wire::Context& context, std::string arn) {
  if (wire::parse_arn_of("sns", arn)) {
    co_return co_await finds<wire::sns::ops::GetTopicAttributes>(context, {.topic_arn = arn});
  }
  if (!is_of_caller(context, arn)) co_return false;
  const wire::sqs::GetQueueUrlInput request{.queue_name = arn.substr(arn.rfind(':') + 1)};
  co_return co_await finds<wire::sqs::ops::GetQueueUrl>(context, request);
}

}  // namespace

Task<std::string> obstacle(Service& service, wire::Context& context, const shapes::CreatePipeInput& settings) {
  if (!co_await is_there(service, context, settings.source)) {
    co_return cat("Source not found: ", settings.source);
  }
  const std::string letters = dead_letter_arn(settings);
  if (letters.empty() || co_await takes_dead_letters(context, letters)) co_return "";
  co_return cat("Input parameter is invalid from the request due to : Error occurred while sending message to ",
                wire::parse_arn_of("sns", letters) ? "SNS topic" : "SQS queue", ": ", letters);
}

void check_region(const wire::Context& context, std::string_view end) {
  const auto arn = wire::parse_arn(end);
  if (!arn || arn->region == context.region) return;
  throw errors::validation_exception("Creating cross-region pipe is not permitted.");
}

void check_log(const wire::Context& context, const shapes::CreatePipeInput& settings) {
  if (!settings.log_configuration || settings.log_configuration->level == shapes::LogLevel::kOff) return;
  const auto& destination = settings.log_configuration->cloudwatch_logs_log_destination;
  if (!destination) throw missing("LogConfiguration.CloudwatchLogsLogDestination");
  if (is_of_caller(context, destination->log_group_arn)) return;
  throw invalid("LogConfiguration.CloudwatchLogsLogDestination.LogGroupArn",
                "The log group must be of the account and region of the pipe.");
}

base::Time modification_time(const wire::Context& context) {
  return std::chrono::floor<std::chrono::milliseconds>(context.now());
}

}  // namespace tidemill::pipes

#include "services/pipes/source.h"

#include <algorithm>

#include "base/text.h"
#include "lang/patterns/pattern.h"
#include "services/pipes/errors.h"
#include "wire/arn.h"

namespace tidemill::pipes {
namespace {

using base::cat;
using engine::Mapping;
using engine::StartingPosition;

constexpr int kStreamBatchSize = 1;
constexpr int kQueueBatchSize = 10;
// Larger batches of a queue need a window: that many messages come with one receive.
constexpr int kQueueBatchWithoutWindowMax = 10;
constexpr int kRecordAgeSecondsMin = 60;  // beside -1
constexpr std::string_view kFifoSuffix = ".fifo";

enum class Kind { table_stream, data_stream, queue };

struct Source {
  Kind kind;
  std::string_view service;
  std::string_view resource_part;  // of the ARN
  std::string_view parameters;
};
constexpr auto kSources = std::to_array<Source>({
    {Kind::table_stream, "dynamodb", "/stream/", "SourceParameters.DynamoDBStreamParameters"},
    {Kind::data_stream, "kinesis", "stream/", "SourceParameters.KinesisStreamParameters"},
    {Kind::queue, "sqs", "", "SourceParameters.SqsQueueParameters"},
});

const Source& source_of(std::string_view text) {
  const auto arn = wire::parse_arn(text);
  for (const Source& source : kSources) {
    if (!arn || arn->service != source.service) continue;
    if (!arn->resource.contains(source.resource_part)) throw invalid("Source", "The ARN does not name a stream.");
    return source;
  }
  throw not_supported("Source", arn ? cat("sources of the service ", arn->service) : cat("the source ", text));
}

void refuse_others(const Source& source, const auto& parameters) {
  const auto check = [&](bool is_given, Kind kind) {
    if (is_given && kind != source.kind)
      throw invalid("SourceParameters", "Invalid source parameter provided for source.");
  };
  check(parameters.dynamo_db_stream_parameters.has_value(), Kind::table_stream);
  check(parameters.kinesis_stream_parameters.has_value(), Kind::data_stream);
  check(parameters.sqs_queue_parameters.has_value(), Kind::queue);
}

void check_filters(const std::optional<shapes::FilterCriteria>& criteria) {
  if (!criteria || !criteria->filters) return;
  for (const shapes::Filter& filter : *criteria->filters) {
    try {
      (void)lang::patterns::Pattern::parse(filter.pattern.value_or(""), lang::patterns::lambda_filter());
    } catch (const lang::patterns::PatternError& error) {
      throw invalid("SourceParameters.FilterCriteria", cat("Event pattern is not valid. Reason: ", error.what()));
    }
  }
}

void check_dead_letters(std::string_view text, std::string_view parameters) {
  if (text.empty()) return;
  const auto arn = wire::parse_arn(text);
  const bool is_known = arn && (arn->service == "sqs" || arn->service == "sns");
  if (is_known && !text.ends_with(kFifoSuffix)) return;
  throw invalid(cat(parameters, ".DeadLetterConfig.Arn"), "It must be a standard SQS queue or a standard SNS topic.");
}

void complete_stream(auto& parameters, std::string_view name) {
  const auto fill = [](std::optional<int32_t>& value, int32_t standard) { value = value.value_or(standard); };
  fill(parameters.batch_size, kStreamBatchSize);
  fill(parameters.maximum_batching_window_in_seconds, 0);
  fill(parameters.maximum_record_age_in_seconds, -1);
  fill(parameters.maximum_retry_attempts, -1);
  fill(parameters.parallelization_factor, 1);
  const int32_t age = *parameters.maximum_record_age_in_seconds;
  if (age != -1 && age < kRecordAgeSecondsMin) {
    throw invalid(cat(name, ".MaximumRecordAgeInSeconds"),
                  "It must be either -1 (forever) or between 60 and 604800 (inclusive).");
  }
  if (parameters.dead_letter_config) check_dead_letters(parameters.dead_letter_config->arn.value_or(""), name);
}

void complete_queue(shapes::CreatePipeInput& settings, int most) {
  auto& parameters = settings.source_parameters->sqs_queue_parameters;
  if (!parameters) parameters.emplace();
  parameters->batch_size = parameters->batch_size.value_or(std::min(kQueueBatchSize, most));
  parameters->maximum_batching_window_in_seconds = parameters->maximum_batching_window_in_seconds.value_or(0);
  const bool has_window = *parameters->maximum_batching_window_in_seconds > 0;
  constexpr std::string_view kWindow = "SourceParameters.SqsQueueParameters.MaximumBatchingWindowInSeconds";
  if (has_window && settings.source.ends_with(kFifoSuffix)) {
    throw invalid(kWindow, "Batching window is not supported for FIFO queues");
  }
  if (!has_window && *parameters->batch_size > kQueueBatchWithoutWindowMax) {
    throw invalid(kWindow,
                  "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10");
  }
}

void check_timestamp(const shapes::PipeSourceKinesisStreamParameters& parameters, base::Time now) {
  constexpr std::string_view kName = "SourceParameters.KinesisStreamParameters.StartingPositionTimestamp";
  const bool is_needed = parameters.starting_position == shapes::KinesisStreamStartPosition::kAtTimestamp;
  if (is_needed && !parameters.starting_position_timestamp) throw missing(kName);
  if (!is_needed && parameters.starting_position_timestamp) {
    throw invalid(kName, "It is only valid with the StartingPosition AT_TIMESTAMP.");
  }
  if (is_needed && *parameters.starting_position_timestamp > now) throw invalid(kName, "It cannot be in the future.");
}

// What there is of the parameters, checked and complete.
void complete(const Source& source, int most, shapes::CreatePipeInput& settings) {
  if (!settings.source_parameters) settings.source_parameters.emplace();
  auto& parameters = *settings.source_parameters;
  check_filters(parameters.filter_criteria);
  // How filters are taken away; then there are no criteria to show.
  const auto& criteria = parameters.filter_criteria;
  if (criteria && (!criteria->filters || criteria->filters->empty())) parameters.filter_criteria.reset();
  switch (source.kind) {
    case Kind::table_stream:
      if (!parameters.dynamo_db_stream_parameters) throw missing(source.parameters);
      complete_stream(*parameters.dynamo_db_stream_parameters, source.parameters);
      return;
    case Kind::data_stream:
      if (!parameters.kinesis_stream_parameters) throw missing(source.parameters);
      complete_stream(*parameters.kinesis_stream_parameters, source.parameters);
      return;
    case Kind::queue:
      complete_queue(settings, most);
      return;
  }
}

// All but where reading begins.
template <class Parameters>
void replace_stream(const auto& update, std::optional<Parameters>& parameters) {
  if (!update) return;
  parameters->batch_size = update->batch_size;
  parameters->dead_letter_config = update->dead_letter_config;
  parameters->on_partial_batch_item_failure = update->on_partial_batch_item_failure;
  parameters->maximum_batching_window_in_seconds = update->maximum_batching_window_in_seconds;
  parameters->maximum_record_age_in_seconds = update->maximum_record_age_in_seconds;
  parameters->maximum_retry_attempts = update->maximum_retry_attempts;
  parameters->parallelization_factor = update->parallelization_factor;
}

// Calls `use` with the stream's parameters, of whichever kind; nothing happens for a queue.
void with_stream(const shapes::CreatePipeInput& settings, auto use) {
  const auto& parameters = *settings.source_parameters;
  if (parameters.dynamo_db_stream_parameters) use(*parameters.dynamo_db_stream_parameters);
  if (parameters.kinesis_stream_parameters) use(*parameters.kinesis_stream_parameters);
}

StartingPosition position_of(std::string_view name) {
  if (name == shapes::KinesisStreamStartPosition::kAtTimestamp) return StartingPosition::at_timestamp;
  return name == shapes::KinesisStreamStartPosition::kLatest ? StartingPosition::latest
                                                             : StartingPosition::trim_horizon;
}

}  // namespace

void complete_source(shapes::CreatePipeInput& settings, int most, base::Time now) {
  const Source& source = source_of(settings.source);
  if (settings.source_parameters) refuse_others(source, *settings.source_parameters);
  complete(source, most, settings);
  if (source.kind == Kind::data_stream) check_timestamp(*settings.source_parameters->kinesis_stream_parameters, now);
}

void update_source(const shapes::UpdatePipeSourceParameters& update, int most, shapes::CreatePipeInput& settings) {
  const Source& source = source_of(settings.source);
  refuse_others(source, update);
  auto& parameters = *settings.source_parameters;
  if (update.filter_criteria) parameters.filter_criteria = update.filter_criteria;
  replace_stream(update.dynamo_db_stream_parameters, parameters.dynamo_db_stream_parameters);
  replace_stream(update.kinesis_stream_parameters, parameters.kinesis_stream_parameters);
  if (update.sqs_queue_parameters) parameters.sqs_queue_parameters = update.sqs_queue_parameters;
  complete(source, most, settings);
}

void check_batch_size(const shapes::CreatePipeInput& settings, int most) {
  const Source& source = source_of(settings.source);
  int batch = 0;
  if (is_queue(settings)) batch = *settings.source_parameters->sqs_queue_parameters->batch_size;
  with_stream(settings, [&](const auto& parameters) { batch = *parameters.batch_size; });
  if (batch <= most) return;
  throw invalid(cat(source.parameters, ".BatchSize"),
                cat("The batch size of the source must not be greater than that of the target, which is ", most, "."));
}

bool is_queue(const shapes::CreatePipeInput& settings) {
  return settings.source_parameters->sqs_queue_parameters.has_value();
}

std::string dead_letter_arn(const shapes::CreatePipeInput& settings) {
  std::string arn;
  with_stream(settings, [&](const auto& parameters) {
    if (parameters.dead_letter_config) arn = parameters.dead_letter_config->arn.value_or("");
  });
  return arn;
}

std::string source_name(const shapes::CreatePipeInput& settings) {
  return cat("aws:", source_of(settings.source).service);
}

void apply_source(const shapes::CreatePipeInput& settings, Mapping& mapping) {
  mapping.event_source_arn = settings.source;
  mapping.filters.clear();
  const auto& criteria = settings.source_parameters->filter_criteria;
  if (criteria && criteria->filters) {
    for (const shapes::Filter& filter : *criteria->filters) mapping.filters.push_back(filter.pattern.value_or(""));
  }
  mapping.report_item_failures = true;  // the pipe tells what failed
  if (const auto& queue = settings.source_parameters->sqs_queue_parameters) {
    mapping.batch_size = *queue->batch_size;
    mapping.batching_window_seconds = *queue->maximum_batching_window_in_seconds;
    return;
  }
  with_stream(settings, [&](const auto& parameters) {
    mapping.batch_size = *parameters.batch_size;
    mapping.batching_window_seconds = *parameters.maximum_batching_window_in_seconds;
    mapping.record_age_seconds_max = *parameters.maximum_record_age_in_seconds;
    mapping.retry_attempts_max = *parameters.maximum_retry_attempts;
    mapping.parallelization_factor = *parameters.parallelization_factor;
    mapping.bisect_on_error = parameters.on_partial_batch_item_failure.has_value();
    mapping.starting_position = position_of(parameters.starting_position);
  });
  mapping.failure_destination = dead_letter_arn(settings);
  if (const auto& kinesis = settings.source_parameters->kinesis_stream_parameters) {
    mapping.starting_timestamp = kinesis->starting_position_timestamp;
  }
}

}  // namespace tidemill::pipes

#include "services/lambda/event_source_mapping_not_yet.h"

#include <array>

#include "base/text.h"
#include "services/lambda/errors.h"
#include "wire/unsupported.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;

constexpr std::string_view kSource = "EventSourceArn";

constexpr std::array kNotYetRun{
    NotYetRun{kSource, kQueue, [](const Mapping&) { return true; }},
    NotYetRun{"ParallelizationFactor", kStreams, [](const Mapping& m) { return m.parallelization_factor != 1; }},
    NotYetRun{"BisectBatchOnFunctionError", kStreams, [](const Mapping& m) { return m.bisect_on_error; }},
    NotYetRun{"TumblingWindowInSeconds", kStreams, [](const Mapping& m) { return m.tumbling_window_seconds != 0; }},
    NotYetRun{"DestinationConfig", kStreams, [](const Mapping& m) { return !m.failure_destination.empty(); }},
    NotYetRun{"FunctionResponseTypes", kEverySource, [](const Mapping& m) { return m.report_item_failures; }},
    NotYetRun{"FilterCriteria", kEverySource, [](const Mapping& m) { return !m.filters.empty(); }},
    NotYetRun{"MetricsConfig", kEverySource, [](const Mapping& m) { return m.count_events || m.count_errors; }},
    NotYetRun{"ScalingConfig", kQueue, [](const Mapping& m) { return m.concurrency_max.has_value(); }},
    NotYetRun{"ProvisionedPollerConfig", kQueue,
              [](const Mapping& m) { return m.pollers_min.has_value() || m.pollers_max.has_value(); }},
};

}  // namespace

std::span<const NotYetRun> not_yet_run() { return kNotYetRun; }

void refuse_not_yet_run(std::span<const NotYetRun> options, const wire::OperationInfo& operation,
                        const Mapping& mapping) {
  const SourceKinds kind = source_rules(mapping).kind;
  for (const NotYetRun& option : options) {
    if ((option.sources & kind) == 0 || !option.is_asked(mapping)) continue;
    if (option.option == kSource) throw not_supported(base::cat("the event source ", mapping.event_source_arn));
    throw wire::unsupported_parameter(operation, option.option);
  }
}

}  // namespace tidemill::lambda

#include "services/lambda/event_source_mapping_not_yet.h"

#include <array>

#include "wire/unsupported.h"

namespace tidemill::lambda {

namespace {

using engine::Mapping;

constexpr std::array kNotYetRun{
    NotYetRun{"MetricsConfig", kEverySource, [](const Mapping& m) { return m.count_errors; }},
};

}  // namespace

std::span<const NotYetRun> not_yet_run() { return kNotYetRun; }

void refuse_not_yet_run(std::span<const NotYetRun> options, const wire::OperationInfo& operation,
                        const Mapping& mapping) {
  const SourceKinds kind = source_rules(mapping).kind;
  for (const NotYetRun& option : options) {
    if ((option.sources & kind) == 0 || !option.is_asked(mapping)) continue;
    throw wire::unsupported_parameter(operation, option.option);
  }
}

}  // namespace tidemill::lambda

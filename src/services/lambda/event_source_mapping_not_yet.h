// The options that AWS's checks pass and nothing runs yet: refused by name rather than kept and ignored. Whoever makes
// one run takes it out of the list in event_source_mapping_not_yet.cc; the last one takes these files with it.
#pragma once

#include <span>
#include <string_view>

#include "engine/mappings/mapping.h"
#include "services/lambda/event_source_mapping_rules.h"
#include "wire/registry.h"

namespace tidemill::lambda {

struct NotYetRun {
  std::string_view option;
  SourceKinds sources;  // for which it does not run
  bool (*is_asked)(const engine::Mapping& mapping);
};

[[nodiscard]] std::span<const NotYetRun> not_yet_run();

// Throws InvalidParameterValueException for the first of `options` that the mapping asks for.
void refuse_not_yet_run(std::span<const NotYetRun> options, const wire::OperationInfo& operation,
                        const engine::Mapping& mapping);

}  // namespace tidemill::lambda

// The source of a pipe: which there are, what can be said of each, and what that means for the mapping.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "engine/mappings/mapping.h"
#include "services/pipes/pipe.h"

namespace tidemill::pipes {

// These throw ValidationException.

// `most`: records that are taken at once; no default is more.

// Of a new pipe: what its request says of the source, and in the place of what it does not say AWS's defaults.
void complete_source(shapes::CreatePipeInput& settings, int most, base::Time now);
// A parameter structure that is given replaces what there was, except where reading began.
void update_source(const shapes::UpdatePipeSourceParameters& update, int most, shapes::CreatePipeInput& settings);
// That a batch of the source is not more.
void check_batch_size(const shapes::CreatePipeInput& settings, int most);

// As complete_source() has left it.
[[nodiscard]] bool is_queue(const shapes::CreatePipeInput& settings);
[[nodiscard]] std::string dead_letter_arn(const shapes::CreatePipeInput& settings);
// "aws:sqs", as records and events name it.
[[nodiscard]] std::string source_name(const shapes::CreatePipeInput& settings);

// Puts what the settings say into the mapping; what a mapping has done so far stays.
void apply_source(const shapes::CreatePipeInput& settings, engine::Mapping& mapping);

}  // namespace tidemill::pipes

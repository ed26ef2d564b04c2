// What the operations that change a pipe share.
#pragma once

#include <string>
#include <string_view>

#include "services/pipes/service.h"

namespace tidemill::pipes {

// Why the pipe cannot run: its source or its dead-letter queue is not there for the caller. Empty: it can.
Task<std::string> obstacle(Service& service, wire::Context& context, const shapes::CreatePipeInput& settings);

// Both ends of a pipe are in its region. Throws ValidationException, for `end` by its ARN.
void check_region(const wire::Context& context, std::string_view end);

// That the pipe's log goes somewhere, in the caller's account and region. Throws ValidationException.
void check_log(const wire::Context& context, const shapes::CreatePipeInput& settings);

// The moment of a change, as precise as the API tells it.
[[nodiscard]] base::Time modification_time(const wire::Context& context);

// What every operation that changes a pipe answers: the state that it is on its way through, however fast.
template <class Output>
Output answer_of(const FedPipe& fed, std::string_view state) {
  return {.arn = fed.pipe.address.arn(),
          .name = fed.pipe.address.name,
          .desired_state = fed.desired_state(),
          .current_state = std::string(state),
          .creation_time = fed.pipe.created,
          .last_modified_time = fed.pipe.modified};
}

}  // namespace tidemill::pipes

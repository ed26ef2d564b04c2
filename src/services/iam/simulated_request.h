// What both simulations' requests say beside policies: checked, and put into the setting of a simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/iam/simulation.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

// Members that both requests have.
struct SimulatedRequest {
  const std::vector<std::string>& action_names;
  const std::optional<std::vector<std::string>>& resource_arns;
  const std::optional<std::vector<std::string>>& boundaries;
  const std::optional<std::string>& resource_policy;
  const std::optional<std::string>& resource_owner;
  const std::optional<std::string>& caller_arn;
  const std::optional<std::vector<wire::iam::ContextEntry>>& context_entries;
  const std::optional<std::string>& resource_handling_option;
};

// The boundary of a request takes the place of what `setting` has. Throws InvalidInput.
void apply_request(const SimulatedRequest& request, Simulation::Setting& setting);

template <class Request>
void apply_request(const Request& request, Simulation::Setting& setting) {
  apply_request(
      SimulatedRequest{request.action_names, request.resource_arns, request.permissions_boundary_policy_input_list,
                       request.resource_policy, request.resource_owner, request.caller_arn, request.context_entries,
                       request.resource_handling_option},
      setting);
}

// The facts that follow from who the caller is.
void tell_caller(Simulation::Setting& setting);

}  // namespace tidemill::iam

#include "rights/passed_roles.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "services/events/errors.h"
#include "services/logs/errors.h"
#include "services/scheduler/group.h"
#include "services/states/definition.h"
#include "wire/shapes/events.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/pipes.h"
#include "wire/shapes/scheduler.h"
#include "wire/shapes/states.h"

namespace tidemill::rights {

namespace {

using base::cat;

constexpr int kBadRequest = 400;

wire::Error by_lambda(const PassedRole&) {
  return wire::lambda::errors::invalid_parameter_value_exception(
      "The role defined for the function cannot be assumed by Lambda.");
}

wire::Error by_scheduler(const PassedRole&) {
  return wire::scheduler::errors::validation_exception(
      "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.");
}

wire::Error by_states(const PassedRole&) {
  return {"AccessDeniedException", kBadRequest,
          "Neither the global service principal states.amazonaws.com, nor the regional one is authorized to assume the "
          "provided role."};
}

std::string not_by_principal(const PassedRole& role) {
  return cat("Provided role '", role.arn, "' cannot be assumed by principal '", role.service, "'.");
}

wire::Error by_events(const PassedRole& role) {
  return wire::events::errors::validation_exception(not_by_principal(role));
}

// What Pipes says of it is not known: EventBridge's words.
wire::Error by_pipes(const PassedRole& role) {
  return wire::pipes::errors::validation_exception(not_by_principal(role));
}

wire::Error by_logs(const PassedRole&) {
  return {"ValidationException", kBadRequest,
          "Make sure you have given CloudWatch Logs permission to assume the provided role."};
}

enum class Source { none, resource, group_of_schedule };

struct Trial {
  std::string_view service;
  std::string_view operation;
  Source source;  // as the services tell it when they act
  wire::Error (*error)(const PassedRole& role);
};

// HealthLake's exports and TestState find out when they act; roles of stacks are CloudFormation's own matter.
constexpr Trial kTrials[] = {
    {"events", "PutRule", Source::resource, by_events},
    {"events", "PutTargets", Source::resource, by_events},
    {"lambda", "CreateFunction", Source::none, by_lambda},
    {"lambda", "UpdateFunctionConfiguration", Source::none, by_lambda},
    {"logs", "PutSubscriptionFilter", Source::resource, by_logs},
    {"pipes", "CreatePipe", Source::resource, by_pipes},
    {"pipes", "UpdatePipe", Source::resource, by_pipes},
    {"scheduler", "CreateSchedule", Source::group_of_schedule, by_scheduler},
    {"scheduler", "UpdateSchedule", Source::group_of_schedule, by_scheduler},
    {"states", "CreateStateMachine", Source::resource, by_states},
    {"states", "UpdateStateMachine", Source::resource, by_states},
};

// Of a request that has one role at most.
template <class Input, void (*kCheck)(std::string_view arn)>
void check_role_of(const void* request) {
  const auto& role = static_cast<const Input*>(request)->role_arn;
  if constexpr (requires { role.has_value(); }) {
    if (role) kCheck(*role);
  } else {
    kCheck(role);
  }
}

void check_roles_of_targets(const void* request) {
  for (const auto& target : static_cast<const wire::events::PutTargetsInput*>(request)->targets) {
    if (target.role_arn) events::check_role(*target.role_arn);
  }
}

struct Check {
  std::string_view service;
  std::string_view operation;
  void (*check)(const void* request);
};

constexpr Check kChecks[] = {
    {"events", "PutRule", check_role_of<wire::events::PutRuleInput, events::check_role>},
    {"events", "PutTargets", check_roles_of_targets},
    {"logs", "PutSubscriptionFilter", check_role_of<wire::logs::PutSubscriptionFilterInput, logs::check_role>},
    {"states", "CreateStateMachine", check_role_of<wire::states::CreateStateMachineInput, states::check_role>},
    {"states", "TestState", check_role_of<wire::states::TestStateInput, states::check_role>},
    {"states", "UpdateStateMachine", check_role_of<wire::states::UpdateStateMachineInput, states::check_role>},
};

const Trial* find_trial(const wire::OperationInfo& operation) {
  const auto* found = std::ranges::find_if(kTrials, [&](const Trial& trial) {
    return trial.service == operation.service && trial.operation == operation.name;
  });
  return found == std::end(kTrials) ? nullptr : found;
}

std::string source_of(const Trial& trial, const std::string& resource) {
  switch (trial.source) {
    case Source::none:
      break;
    case Source::resource:
      return resource;
    case Source::group_of_schedule:
      return scheduler::group_arn_of_schedule(resource);
  }
  return "";
}

std::string service_of(const Ask& ask) {
  for (const auto& [key, values] : ask.facts) {
    if (key == "iam:PassedToService" && !values.empty()) return values.front();
  }
  return "";
}

}  // namespace

bool passes_role(const Ask& ask) { return ask.action == "iam:PassRole"; }

void check_passed_roles(const wire::OperationInfo& operation, const void* request) {
  const auto* found = std::ranges::find_if(kChecks, [&](const Check& check) {
    return check.service == operation.service && check.operation == operation.name;
  });
  if (found != std::end(kChecks)) found->check(request);
}

std::vector<PassedRole> roles_to_try(const wire::OperationInfo& operation, const std::vector<Ask>& asks) {
  std::vector<PassedRole> roles;
  const Trial* trial = find_trial(operation);
  if (!trial || asks.empty()) return roles;
  for (const Ask& ask : asks) {
    if (!passes_role(ask)) continue;
    const bool is_there = std::ranges::find(roles, ask.resource, &PassedRole::arn) != roles.end();
    if (!is_there) roles.push_back({ask.resource, service_of(ask), source_of(*trial, asks.front().resource)});
  }
  return roles;
}

wire::Error distrust_error(const wire::OperationInfo& operation, const PassedRole& role) {
  return find_trial(operation)->error(role);
}

}  // namespace tidemill::rights

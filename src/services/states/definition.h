// What CreateStateMachine and UpdateStateMachine take besides names: definitions, roles, logging.
#pragma once

#include <optional>
#include <string_view>

#include "lang/states/machine.h"
#include "services/states/machine.h"
#include "services/states/tasks/task.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace shapes = wire::states;

// What the language says of it, and of what the platform lacks: kinds of item readers, resources. Its machine is null if a
// diagnostic is an error.
[[nodiscard]] lang::states::ParsedMachine check_definition(std::string_view text, bool is_express,
                                                           const tasks::Caller& caller);
// Throws InvalidDefinition.
void require_definition(const lang::states::ParsedMachine& parsed);

// Throws InvalidArn.
void check_role(std::string_view arn);
// Throws InvalidLoggingConfiguration. Whether the group is there is not looked at (require_log_group).
void set_logging(Definition& definition, const shapes::LoggingConfiguration& logging);
[[nodiscard]] shapes::LoggingConfiguration logging_of(const Definition& definition);
// Throw for what Tidemill lacks: tracing that is on, keys of customers.
void check_tracing(const std::optional<shapes::TracingConfiguration>& tracing);
void check_encryption(const std::optional<shapes::EncryptionConfiguration>& encryption);

[[nodiscard]] std::optional<std::map<std::string, std::vector<std::string>>> variable_references(
    const lang::states::Machine& machine);

}  // namespace tidemill::states

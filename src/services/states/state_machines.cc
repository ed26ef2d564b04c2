// CreateStateMachine, DescribeStateMachine, UpdateStateMachine, DeleteStateMachine and ListStateMachines.
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/definition.h"
#include "services/states/errors.h"
#include "services/states/execution_log.h"
#include "services/states/listing.h"
#include "services/states/machine.h"
#include "services/states/operations.h"
#include "services/states/tags.h"
#include "services/states/versions.h"

namespace tidemill::states {
namespace {

using base::cat;

MachineRef ref_of(const StateMachine& machine) { return {machine.account, machine.region, machine.name, ""}; }

// The same request once more has the same answer; white space in a definition makes it another.
bool is_same(const Definition& a, const Definition& b) {
  return a.text == b.text && a.role == b.role && a.log_level == b.log_level && a.logs_data == b.logs_data &&
         a.log_group == b.log_group;
}

struct Wanted {
  StateMachine machine;
  Definition definition;
};

// Throws InvalidDefinition.
Task<void> check(Service& service, const std::string& text, bool is_express) {
  co_await service.machines().parse(text,
                                    [&] { require_definition(check_definition(text, is_express, service.caller())); });
}

Task<Wanted> wanted_of(Service& service, wire::Context& context, const shapes::CreateStateMachineInput& request) {
  check_name(request.name);
  check_role(request.role_arn);
  check_tracing(request.tracing_configuration);
  check_encryption(request.encryption_configuration);
  if (request.version_description && !request.publish.value_or(false)) {
    throw errors::validation_exception("Version description can only be set when publish is true");
  }
  Wanted wanted{.machine = {.account = context.account, .region = context.region, .name = request.name,
                            .created = context.now()},
                .definition = {.text = request.definition, .role = request.role_arn, .created = context.now()}};
  wanted.machine.is_express = request.type == shapes::StateMachineType::kExpress;
  if (request.logging_configuration) set_logging(wanted.definition, *request.logging_configuration);
  co_await check(service, request.definition, wanted.machine.is_express);
  wanted.machine.revision = wanted.definition.revision = base::new_uuid();
  if (request.tags) wanted.machine.tags = with_tags({}, *request.tags);
  co_return wanted;
}

void set_role_and_logging(Definition& definition, const shapes::UpdateStateMachineInput& request) {
  if (request.role_arn) definition.role = *request.role_arn;
  if (request.logging_configuration) set_logging(definition, *request.logging_configuration);
}

// As whom a machine logs once it is changed, and where.
Task<void> check_logging(Service& service, MachineRef ref, const shapes::UpdateStateMachineInput& request) {
  const auto snapshot = service.store().snapshot();
  const StateMachine machine = co_await load_machine(*snapshot, ref);
  Definition definition =
      co_await load_definition(*snapshot, machine.account, machine.region, machine.name, machine.revision);
  set_role_and_logging(definition, request);
  if (!logs_anything(definition)) co_return;
  co_await require_log_delivery(service.platform(), ref.arn(), definition.role);
  if (!request.logging_configuration) co_return;
  co_await require_log_group(service.platform(), ref.account, ref.region, definition.log_group);
}

}  // namespace

Task<shapes::CreateStateMachineOutput> create_state_machine(Service& service, wire::Context& context,
                                                            const shapes::CreateStateMachineInput& request) {
  const Wanted wanted = co_await wanted_of(service, context, request);
  if (logs_anything(wanted.definition)) {
    co_await require_log_delivery(service.platform(), wanted.machine.arn(), wanted.definition.role);
    co_await require_log_group(service.platform(), wanted.machine.account, wanted.machine.region,
                               wanted.definition.log_group);
  }
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::CreateStateMachineOutput> {
    StateMachine machine = wanted.machine;
    if (auto existing = co_await find_machine(txn, ref_of(machine))) {
      const Definition definition = co_await load_definition(txn, existing->account, existing->region, existing->name,
                                                             existing->revision);
      if (!is_same(definition, wanted.definition) || existing->is_express != machine.is_express) {
        throw errors::state_machine_already_exists(cat("State Machine Already Exists: '", machine.arn(), "'"));
      }
      machine = *std::move(existing);
    } else {
      put_definition(txn, machine, wanted.definition);
    }
    shapes::CreateStateMachineOutput out{.state_machine_arn = machine.arn(), .creation_date = machine.created};
    if (request.publish.value_or(false)) {
      const MachineVersion version = co_await publish(txn, machine, request.version_description, context.now());
      out.state_machine_version_arn = cat(machine.arn(), ":", version.number);
    }
    txn.put(machine_key(ref_of(machine)), encode_machine(machine));
    co_return out;
  });
}

Task<shapes::DescribeStateMachineOutput> describe_state_machine(Service& service, wire::Context&,
                                                                const shapes::DescribeStateMachineInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  const auto snapshot = service.store().snapshot();
  if (!ref.qualifier.empty() && !ref.is_version()) throw no_machine(request.state_machine_arn);
  const Chosen chosen = co_await choose(*snapshot, ref, 0);
  const StateMachine& machine = chosen.machine;
  const Definition definition =
      co_await load_definition(*snapshot, machine.account, machine.region, machine.name, chosen.revision);
  const bool with_data = request.included_data != shapes::IncludedData::kMetadataOnly;
  shapes::DescribeStateMachineOutput out{.state_machine_arn = ref.arn(),
                                         .name = machine.name,
                                         .definition = with_data ? definition.text : "{}",
                                         .role_arn = definition.role,
                                         .type = machine.is_express ? "EXPRESS" : "STANDARD",
                                         .creation_date = machine.created};
  out.status = "ACTIVE";
  out.logging_configuration = logging_of(definition);
  out.tracing_configuration = {{.enabled = false}};
  if (machine.was_updated || !ref.qualifier.empty()) out.revision_id = chosen.revision;
  if (!ref.qualifier.empty()) {
    const auto bytes = co_await snapshot->get(version_key(ref, std::stoull(ref.qualifier)));
    if (bytes) {
      const MachineVersion version = decode_version(*bytes);
      out.description = version.description;
      out.creation_date = version.created;
    }
  }
  const auto parsed = co_await parsed_definition(*snapshot, service.machines(), machine.account, machine.region,
                                                 machine.name, chosen.revision);
  if (with_data) out.variable_references = variable_references(*parsed->machine);
  co_return out;
}

Task<shapes::UpdateStateMachineOutput> update_state_machine(Service& service, wire::Context& context,
                                                            const shapes::UpdateStateMachineInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  if (!ref.qualifier.empty()) throw no_machine(request.state_machine_arn);
  if (!request.definition && !request.role_arn && !request.logging_configuration && !request.tracing_configuration &&
      !request.encryption_configuration) {
    throw errors::missing_required_parameter(
        "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified");
  }
  check_tracing(request.tracing_configuration);
  check_encryption(request.encryption_configuration);
  if (request.role_arn) check_role(*request.role_arn);
  if (request.role_arn || request.logging_configuration) co_await check_logging(service, ref, request);
  const std::string revision = base::new_uuid();
  const base::Time now = context.now();
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::UpdateStateMachineOutput> {
    StateMachine machine = co_await load_machine(txn, ref);
    const Definition before =
        co_await load_definition(txn, machine.account, machine.region, machine.name, machine.revision);
    Definition definition = before;
    if (request.definition) {
      co_await check(service, *request.definition, machine.is_express);
      definition.text = *request.definition;
    }
    set_role_and_logging(definition, request);
    shapes::UpdateStateMachineOutput out{.update_date = now};
    if (!is_same(before, definition)) {
      machine.revision = definition.revision = revision;
      machine.was_updated = true;
      definition.created = now;
      put_definition(txn, machine, definition);
    }
    if (machine.was_updated) out.revision_id = machine.revision;
    if (request.publish.value_or(false)) {
      const MachineVersion version = co_await publish(txn, machine, request.version_description, now);
      out.state_machine_version_arn = cat(machine.arn(), ":", version.number);
    }
    txn.put(machine_key(ref), encode_machine(machine));
    co_return out;
  });
}

// What runs goes on with the definition that it has; the revisions stay for those who ask what ran.
Task<shapes::DeleteStateMachineOutput> delete_state_machine(Service& service, wire::Context&,
                                                            const shapes::DeleteStateMachineInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  if (!ref.qualifier.empty()) throw invalid_arn(request.state_machine_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await find_machine(txn, ref)) co_return;
    txn.erase_range(versions_range(ref));
    txn.erase_range(aliases_range(ref));
    txn.erase(machine_key(ref));
  });
  co_return shapes::DeleteStateMachineOutput{};
}

Task<shapes::ListStateMachinesOutput> list_state_machines(Service& service, wire::Context& context,
                                                          const shapes::ListStateMachinesInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListStateMachinesOutput out;
  const store::Range range = machines_range(context.account, context.region);
  out.next_token = co_await read_page(
      *snapshot, range, request.next_token, page_size(request.max_results), store::Direction::forward,
      [&](std::string_view key, std::string_view value) {
        if (!is_machine_key(key)) return false;
        const StateMachine machine = decode_machine(key, value);
        out.state_machines.push_back({.state_machine_arn = machine.arn(),
                                      .name = machine.name,
                                      .type = machine.is_express ? "EXPRESS" : "STANDARD",
                                      .creation_date = machine.created});
        return true;
      });
  co_return out;
}

Task<shapes::ValidateStateMachineDefinitionOutput> validate_state_machine_definition(
    Service& service, wire::Context&, const shapes::ValidateStateMachineDefinitionInput& request) {
  using Severity = lang::states::Diagnostic::Severity;
  const bool is_express = request.type == shapes::StateMachineType::kExpress;
  const auto [is_valid, diagnostics] = co_await service.machines().parse(request.definition, [&] {
    auto parsed = check_definition(request.definition, is_express, service.caller());
    return std::pair(parsed.machine != nullptr, std::move(parsed.diagnostics));
  });
  const bool with_warnings = request.severity == shapes::ValidateStateMachineDefinitionSeverity::kWarning;
  const int32_t asked = request.max_results.value_or(0);
  const auto most = static_cast<size_t>(asked == 0 ? lang::states::kDiagnosticsMax : asked);
  shapes::ValidateStateMachineDefinitionOutput out{.result = is_valid ? "OK" : "FAIL"};
  out.truncated = false;
  for (const auto& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::warning && !with_warnings) continue;
    if (out.diagnostics.size() == most) {
      out.truncated = true;
      break;
    }
    shapes::ValidateStateMachineDefinitionDiagnostic told{
        .severity = diagnostic.severity == Severity::error ? "ERROR" : "WARNING",
        .code = diagnostic.code,
        .message = diagnostic.message};
    if (!diagnostic.location.empty()) told.location = diagnostic.location;
    out.diagnostics.push_back(std::move(told));
  }
  co_return out;
}

}  // namespace tidemill::states

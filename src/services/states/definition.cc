#include "services/states/definition.h"

#include "base/text.h"
#include "lang/states/evaluate.h"
#include "services/states/errors.h"
#include "services/states/execution_log.h"
#include "wire/role_arn.h"

namespace tidemill::states {

namespace {

using base::cat;
using lang::states::Diagnostic;
using lang::states::Diagnostics;
using lang::states::Flow;
using lang::states::State;

void find_lacks(const Flow& flow, Diagnostics& diagnostics);

void find_lacks(const State& state, Diagnostics& diagnostics) {
  if (const auto reader = lang::states::literal_reader_of(state)) {
    const auto lack = [&](std::string_view field, std::string_view what) {
      diagnostics.push_back({Diagnostic::Severity::error, "SCHEMA_VALIDATION_FAILED",
                             cat("Tidemill does not support ", what),
                             cat(state.location, "/ItemReader/ReaderConfig/", field)});
    };
    using InputType = lang::states::ItemReader::InputType;
    if (reader->input_type == InputType::parquet) lack("InputType", "items in PARQUET");
    if (reader->manifest_type == "ATHENA_DATA") lack("ManifestType", "manifests of ATHENA_DATA");
    if (reader->load_and_flatten) lack("Transformation", "LOAD_AND_FLATTEN");
  }
  for (const auto& branch : state.branches) find_lacks(*branch, diagnostics);
  if (state.processor) find_lacks(*state.processor, diagnostics);
}

void find_lacks(const Flow& flow, Diagnostics& diagnostics) {
  for (const auto& state : flow.states()) find_lacks(*state, diagnostics);
}

lang::states::ResourceRule rule_of(const tasks::Caller& caller, std::string_view arn, const json::Value* arguments) {
  lang::states::ResourceRule rule;
  const auto resource = tasks::parse_resource(arn);
  const auto refusal = resource ? caller.refusal(*resource) : std::nullopt;
  rule.is_known = resource && !refusal;
  rule.refusal = refusal.value_or("");
  if (rule.is_known && arguments && arguments->is_object()) {
    rule.arguments_problem = caller.parameters_problem(*resource, *arguments);
  }
  return rule;
}

}  // namespace

lang::states::ParsedMachine check_definition(std::string_view text, bool is_express, const tasks::Caller& caller) {
  auto parsed = lang::states::parse_machine(
      text, {.is_express = is_express, .rule_of = [&](std::string_view resource, const json::Value* arguments) {
               return rule_of(caller, resource, arguments);
             }});
  if (!parsed.machine) return parsed;
  const size_t before = parsed.diagnostics.size();
  find_lacks(parsed.machine->flow(), parsed.diagnostics);
  if (parsed.diagnostics.size() > before) parsed.machine = nullptr;
  return parsed;
}

void require_definition(const lang::states::ParsedMachine& parsed) {
  if (parsed.machine) return;
  throw errors::invalid_definition(
      cat("Invalid State Machine Definition: '", lang::states::refusal(parsed.diagnostics), "'"));
}

void check_role(std::string_view arn) {
  if (wire::is_role_arn(arn)) return;
  throw errors::invalid_arn(cat("Invalid Role Arn: '", arn, "'"));
}

void set_logging(Definition& definition, const shapes::LoggingConfiguration& logging) {
  definition.log_level = logging.level.value_or("OFF");
  definition.logs_data = logging.include_execution_data.value_or(false);
  definition.log_group.clear();
  const size_t destinations = logging.destinations ? logging.destinations->size() : 0;
  if (destinations > 1 || (destinations == 0 && definition.log_level != "OFF")) {
    throw errors::invalid_logging_configuration(
        "Invalid Logging Configuration: Must specify exactly one Log Destination.");
  }
  if (destinations == 0) return;
  const auto& group = logging.destinations->front().cloud_watch_logs_log_group;
  definition.log_group = group ? group->log_group_arn.value_or("") : "";
  (void)log_group_of(definition.log_group);
}

shapes::LoggingConfiguration logging_of(const Definition& definition) {
  shapes::LoggingConfiguration out{.level = definition.log_level, .include_execution_data = definition.logs_data};
  if (!definition.log_group.empty()) {
    out.destinations.emplace().push_back({.cloud_watch_logs_log_group = {{.log_group_arn = definition.log_group}}});
  }
  return out;
}

void check_tracing(const std::optional<shapes::TracingConfiguration>& tracing) {
  if (!tracing || !tracing->enabled.value_or(false)) return;
  throw errors::invalid_tracing_configuration("Invalid Tracing Configuration: 'Tidemill does not support tracing.'");
}

void check_encryption(const std::optional<shapes::EncryptionConfiguration>& encryption) {
  if (!encryption || encryption->type == shapes::EncryptionType::kAwsOwnedKey) return;
  throw errors::invalid_encryption_configuration(
      "Invalid Encryption Configuration: 'Tidemill does not support customer managed keys.'");
}

std::optional<std::map<std::string, std::vector<std::string>>> variable_references(
    const lang::states::Machine& machine) {
  if (machine.variable_references().empty()) return std::nullopt;
  return std::map<std::string, std::vector<std::string>>(machine.variable_references().begin(),
                                                         machine.variable_references().end());
}

}  // namespace tidemill::states

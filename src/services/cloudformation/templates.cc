// GetTemplate, GetTemplateSummary and ValidateTemplate.
#include <algorithm>

#include "base/text.h"
#include "lang/templates/parse.h"
#include "lang/templates/template_error.h"
#include "lang/templates/transform.h"
#include "services/cloudformation/identification.h"
#include "services/cloudformation/asked.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/operations.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;
namespace templates = lang::templates;

namespace {

constexpr std::string_view kFormatVersion = "2010-09-09";

// A template of which nothing is known but its text.
struct Read {
  json::Value document;
  std::optional<templates::Template> parsed;
  std::vector<std::string> transforms;
};

Task<Read> read_template(base::BlockingWork& work, const std::string& text) {
  co_return co_await work.run_joined([&] {
    try {
      Read result;
      result.document = templates::parse(text);
      result.transforms = templates::transforms_of(result.document);
      if (templates::has_transforms(result.document)) {
        result.parsed = templates::Template::of_original(result.document);
      } else {
        result.parsed.emplace(result.document);
      }
      return result;
    } catch (const templates::TemplateError& error) {
      throw errors::validation_error(error.what());
    }
  });
}

std::vector<std::string> capabilities_of(const Read& read, std::string& reason) {
  const templates::Capabilities required = templates::required_capabilities(*read.parsed);
  std::vector<std::string> names = required.names;
  if (!names.empty()) {
    std::string types;
    for (const std::string& type : required.resource_types) types += types.empty() ? type : cat(", ", type);
    reason = cat("The following resource(s) require capabilities: [", types, "]");
  }
  const bool has_macros = std::ranges::any_of(
      read.transforms, [](const std::string& name) { return name != templates::kLanguageExtensionsTransform; });
  if (has_macros) {
    names.emplace_back("CAPABILITY_AUTO_EXPAND");
    if (reason.empty()) {
      std::string list;
      for (const std::string& name : read.transforms) list += list.empty() ? name : cat(", ", name);
      reason = cat("The following transform(s) require capabilities: [", list, "]");
    }
  }
  return names;
}

}  // namespace

Task<shapes::GetTemplateOutput> get_template(Service& service, wire::Context& context,
                                             const shapes::GetTemplateInput& request) {
  if (!request.stack_name && !request.change_set_name) {
    throw errors::validation_error("StackName is required if ChangeSetName is not specified.");
  }
  const auto snapshot = service.store().snapshot();
  std::optional<TemplateText> text;
  if (request.change_set_name) {
    const ChangeSet set = co_await require_change_set(*snapshot, context, *request.change_set_name, request.stack_name);
    text = co_await load_template(*snapshot, set.stack, set.uuid);
  } else {
    const Stack stack = co_await require_stack(*snapshot, context, *request.stack_name);
    if (stack.target) text = co_await load_template(*snapshot, stack.id, kTargetTemplate);
    if (!text) text = co_await load_template(*snapshot, stack.id, kCurrentTemplate);
  }
  shapes::GetTemplateOutput out;
  const bool is_processed = request.template_stage == std::optional<std::string>("Processed");
  const TemplateText found = text.value_or(TemplateText());
  out.template_body = is_processed ? found.deployed() : found.original;
  out.stages_available = std::vector<std::string>{"Original", "Processed"};
  co_return out;
}

Task<shapes::GetTemplateSummaryOutput> get_template_summary(Service& service, wire::Context& context,
                                                            const shapes::GetTemplateSummaryInput& request) {
  std::string text;
  if (request.stack_name) {
    if (request.template_body || request.template_url) {
      throw errors::validation_error("Only one of StackName, TemplateBody and TemplateURL may be specified.");
    }
    const auto snapshot = service.store().snapshot();
    const Stack stack = co_await require_stack(*snapshot, context, *request.stack_name);
    if (stack.status == status::kReview) {
      throw errors::validation_error("GetTemplateSummary cannot be called on REVIEW_IN_PROGRESS stacks.");
    }
    text = (co_await load_template(*snapshot, stack.id, kCurrentTemplate)).value_or(TemplateText()).original;
  } else {
    text = co_await fetch_template(context, request.template_body, request.template_url);
  }
  const Read read = co_await read_template(service.template_work(), text);
  shapes::GetTemplateSummaryOutput out;
  out.parameters.emplace();
  for (const templates::Parameter& one : read.parsed->parameters()) {
    shapes::ParameterDeclaration declaration;
    declaration.parameter_key = one.name;
    declaration.default_value = one.default_value;
    declaration.parameter_type = one.type;
    declaration.no_echo = one.no_echo;
    declaration.description = shown(one.description);
    declaration.parameter_constraints.emplace();
    declaration.parameter_constraints->allowed_values = one.allowed_values;
    out.parameters->push_back(std::move(declaration));
  }
  out.description = shown(read.parsed->description());
  std::string reason;
  if (auto names = capabilities_of(read, reason); !names.empty()) out.capabilities = std::move(names);
  out.capabilities_reason = shown(reason);
  out.resource_types.emplace();
  std::map<std::string, std::vector<std::string>> by_type;
  for (const templates::Resource& resource : read.parsed->resources()) {
    if (!by_type.contains(resource.type)) out.resource_types->push_back(resource.type);
    by_type[resource.type].push_back(resource.name);
  }
  out.resource_identifier_summaries.emplace();
  for (const auto& [type, names] : by_type) {
    shapes::ResourceIdentifierSummary summary{.resource_type = type, .logical_resource_ids = names};
    if (const Identification* known = find_identification(type)) {
      summary.resource_identifiers = std::vector<std::string>{std::string(known->property)};
    }
    out.resource_identifier_summaries->push_back(std::move(summary));
  }
  out.version = std::string(kFormatVersion);
  if (!read.parsed->metadata().is_null()) out.metadata = json::write(read.parsed->metadata());
  if (!read.transforms.empty()) out.declared_transforms = read.transforms;
  co_return out;
}

Task<shapes::ValidateTemplateOutput> validate_template(Service& service, wire::Context& context,
                                                       const shapes::ValidateTemplateInput& request) {
  const std::string text = co_await fetch_template(context, request.template_body, request.template_url);
  const Read read = co_await read_template(service.template_work(), text);
  shapes::ValidateTemplateOutput out;
  out.parameters.emplace();
  for (const templates::Parameter& one : read.parsed->parameters()) {
    out.parameters->push_back({one.name, one.default_value, one.no_echo, shown(one.description)});
  }
  out.description = shown(read.parsed->description());
  std::string reason;
  if (auto names = capabilities_of(read, reason); !names.empty()) out.capabilities = std::move(names);
  out.capabilities_reason = shown(reason);
  if (!read.transforms.empty()) out.declared_transforms = read.transforms;
  co_return out;
}

}  // namespace tidemill::cloudformation

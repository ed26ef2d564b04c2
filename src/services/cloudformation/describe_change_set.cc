// DescribeChangeSet and ListChangeSets.
#include <charconv>

#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/keys.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/paging.h"

namespace tidemill::cloudformation {

namespace errors = shapes::errors;

namespace {

constexpr size_t kChangesPageMax = 100;
constexpr size_t kSetsPageMax = 100;

std::optional<std::string> text_at(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value && value->is_string() ? std::optional(value->string()) : std::nullopt;
}

shapes::ResourceChangeDetail describe_detail(const json::Value& detail, bool with_values) {
  shapes::ResourceChangeDetail result;
  if (const json::Value* target = detail.find("Target")) {
    result.target.emplace();
    result.target->attribute = text_at(*target, "Attribute");
    result.target->name = text_at(*target, "Name");
    result.target->requires_recreation = text_at(*target, "RequiresRecreation");
    if (with_values) {
      result.target->path = text_at(*target, "Path");
      result.target->before_value = text_at(*target, "BeforeValue");
      result.target->after_value = text_at(*target, "AfterValue");
      result.target->attribute_change_type = text_at(*target, "AttributeChangeType");
    }
  }
  result.evaluation = text_at(detail, "Evaluation");
  result.change_source = text_at(detail, "ChangeSource");
  result.causing_entity = text_at(detail, "CausingEntity");
  return result;
}

shapes::Change describe_change(const ChangeSet& set, const json::Value& change, bool with_values) {
  const json::Value& of = *change.find("ResourceChange");
  shapes::ResourceChange result;
  result.policy_action = text_at(of, "PolicyAction");
  result.action = text_at(of, "Action");
  result.logical_resource_id = text_at(of, "LogicalResourceId");
  result.physical_resource_id = text_at(of, "PhysicalResourceId");
  result.resource_type = text_at(of, "ResourceType");
  result.replacement = text_at(of, "Replacement");
  const auto nested = set.nested.find(*result.logical_resource_id);
  if (nested != set.nested.end()) result.change_set_id = nested->second;
  if (with_values && (result.action == "Add" || result.action == "Import")) result.replacement = "True";
  result.scope.emplace();
  for (const json::Value& one : of.find("Scope")->array()) result.scope->push_back(one.string());
  result.details.emplace();
  for (const json::Value& one : of.find("Details")->array()) {
    result.details->push_back(describe_detail(one, with_values));
  }
  if (with_values) {
    result.before_context = text_at(of, "BeforeContext");
    result.after_context = text_at(of, "AfterContext");
  }
  return {.type = "Resource", .resource_change = std::move(result)};
}

size_t place_of_token(const std::optional<std::string>& token) {
  if (!token) return 0;
  size_t place = 0;
  const auto [end, problem] = std::from_chars(token->data(), token->data() + token->size(), place);
  if (problem != std::errc() || end != token->data() + token->size()) {
    throw errors::validation_error("The specified NextToken is not valid.");
  }
  return place;
}

shapes::ChangeSetSummary summary_of(const ChangeSet& set) {
  shapes::ChangeSetSummary summary;
  summary.stack_id = set.stack.arn();
  summary.stack_name = set.stack.name;
  summary.change_set_id = set.arn();
  summary.change_set_name = set.name;
  summary.execution_status = set.execution_status;
  summary.status = set.status;
  summary.status_reason = shown(set.reason);
  summary.creation_time = set.created;
  summary.description = shown(set.description);
  summary.include_nested_stacks = set.include_nested;
  summary.parent_change_set_id = shown(set.parent);
  summary.root_change_set_id = shown(set.root);
  summary.import_existing_resources = set.import_existing;
  return summary;
}

}  // namespace

Task<shapes::DescribeChangeSetOutput> describe_change_set(Service& service, wire::Context& context,
                                                          const shapes::DescribeChangeSetInput& request) {
  const auto snapshot = service.store().snapshot();
  const ChangeSet set = co_await require_change_set(*snapshot, context, request.change_set_name, request.stack_name);
  const bool with_values = request.include_property_values.value_or(false);
  shapes::DescribeChangeSetOutput out;
  out.change_set_name = set.name;
  out.change_set_id = set.arn();
  out.stack_id = set.stack.arn();
  out.stack_name = set.stack.name;
  out.description = shown(set.description);
  if (!set.settings.parameters.empty()) out.parameters = describe_parameters(set.settings);
  out.creation_time = set.created;
  out.execution_status = set.execution_status;
  out.status = set.status;
  const bool is_warning = set.reason.starts_with("[WARN]");
  if (!is_warning || with_values) out.status_reason = shown(set.reason);
  out.notification_ar_ns = set.settings.notification_arns;
  out.rollback_configuration.emplace();
  if (!set.settings.capabilities.empty()) out.capabilities = set.settings.capabilities;
  out.tags = describe_tags(set.settings.tags);
  out.include_nested_stacks = set.include_nested;
  out.parent_change_set_id = shown(set.parent);
  out.root_change_set_id = shown(set.root);
  out.on_stack_failure = shown(set.on_failure);
  out.import_existing_resources = set.import_existing;
  out.changes.emplace();
  const json::Array changes = co_await load_changes(*snapshot, set);
  const size_t from = place_of_token(request.next_token);
  for (size_t i = from; i < changes.size() && i < from + kChangesPageMax; ++i) {
    out.changes->push_back(describe_change(set, changes[i], with_values));
  }
  if (from + kChangesPageMax < changes.size()) out.next_token = std::to_string(from + kChangesPageMax);
  co_return out;
}

Task<shapes::ListChangeSetsOutput> list_change_sets(Service& service, wire::Context& context,
                                                    const shapes::ListChangeSetsInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack_in_brackets(*snapshot, context, request.stack_name);
  shapes::ListChangeSetsOutput out;
  out.summaries.emplace();
  out.next_token = co_await read_page_of(*snapshot, change_sets_range(stack.place(), stack.id.uuid), request.next_token,
                                         kSetsPageMax, [&](std::string_view, std::string_view bytes) {
                                           out.summaries->push_back(summary_of(decode_change_set(stack.place(), bytes)));
                                           return true;
                                         });
  co_return out;
}

}  // namespace tidemill::cloudformation

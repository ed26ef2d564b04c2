// DescribeStacks, ListStacks and UpdateTerminationProtection.
#include <algorithm>

#include "base/ordered.h"
#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/paging.h"
#include "store/resources.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr size_t kPageMax = 100;
constexpr std::string_view kHidden = "****";

shapes::StackDriftInformation no_drift() { return {.stack_drift_status = std::string(kNotChecked)}; }

}  // namespace

std::vector<shapes::Parameter> describe_parameters(const Settings& settings) {
  std::vector<shapes::Parameter> result;
  for (const StackParameter& one : settings.parameters) {
    shapes::Parameter parameter{.parameter_key = one.key, .parameter_value = one.no_echo ? std::string(kHidden) : one.value};
    if (one.resolved) parameter.resolved_value = one.no_echo ? std::string(kHidden) : *one.resolved;
    result.push_back(std::move(parameter));
  }
  return result;
}

std::vector<shapes::Tag> describe_tags(const base::json::TextMap& tags) {
  std::vector<shapes::Tag> result;
  for (const auto& [key, value] : tags) result.push_back({.key = key, .value = value});
  return result;
}

shapes::Stack describe_stack(const Stack& stack) {
  const Settings& settings = stack.settings();
  shapes::Stack result;
  result.stack_id = stack.id.arn();
  result.stack_name = stack.id.name;
  result.change_set_id = shown(stack.change_set);
  result.description = shown(settings.description);
  if (!settings.parameters.empty()) result.parameters = describe_parameters(settings);
  result.creation_time = stack.created;
  result.deletion_time = stack.deleted;
  result.last_updated_time = stack.updated;
  result.rollback_configuration.emplace();
  result.stack_status = stack.status;
  result.stack_status_reason = shown(stack.reason);
  result.disable_rollback = stack.disable_rollback;
  result.notification_ar_ns = settings.notification_arns;
  if (stack.timeout_minutes > 0) result.timeout_in_minutes = static_cast<int32_t>(stack.timeout_minutes);
  if (!settings.capabilities.empty()) result.capabilities = settings.capabilities;
  if (!stack.outputs.empty()) {
    result.outputs.emplace();
    for (const StackOutput& one : stack.outputs) {
      result.outputs->push_back({one.key, one.value, shown(one.description), shown(one.export_name)});
    }
  }
  result.role_arn = shown(settings.role);
  result.tags = describe_tags(settings.tags);
  if (stack.status != status::kDeleted) result.enable_termination_protection = stack.termination_protection;
  result.parent_id = shown(stack.parent);
  result.root_id = shown(stack.root);
  result.drift_information = no_drift();
  if (stack.retain_except_on_create) result.retain_except_on_create = true;
  return result;
}

shapes::StackSummary summarize_stack(const Stack& stack) {
  shapes::StackSummary result;
  result.stack_id = stack.id.arn();
  result.stack_name = stack.id.name;
  result.template_description = shown(stack.settings().description);
  result.creation_time = stack.created;
  result.last_updated_time = stack.updated;
  result.deletion_time = stack.deleted;
  result.stack_status = stack.status;
  result.stack_status_reason = shown(stack.reason);
  result.parent_id = shown(stack.parent);
  result.root_id = shown(stack.root);
  result.drift_information = no_drift();
  return result;
}

namespace {

std::string uuid_of_order_key(const Place& place, std::string_view key) {
  const size_t prefix = store::resource_prefix({"cloudformation", "stack-order"}, place.account, place.region).size();
  base::OrderedReader reader(key.substr(prefix));
  (void)reader.i64();
  return reader.string();
}

// Stacks, newest first.
Task<std::optional<std::string>> read_stacks(store::Snapshot& reader, Place place, std::optional<std::string> token,
                                             std::function<Task<void>(Stack)> take) {
  std::vector<std::string> uuids;
  // More are looked at than are shown only where some do not count; a page is as many looks.
  auto next = co_await read_page_of(reader, stack_order_range(place), std::move(token), kPageMax,
                                    [&](std::string_view key, std::string_view) {
                                      uuids.push_back(uuid_of_order_key(place, key));
                                      return true;
                                    });
  for (const std::string& uuid : uuids) {
    auto stack = co_await load_stack(reader, place, uuid);
    if (stack) co_await take(*std::move(stack));
  }
  co_return next;
}

// A nested one shows its root's protection.
Task<shapes::Stack> describe_with_root(store::Snapshot& reader, Stack stack) {
  if (!stack.parent.empty()) stack.termination_protection = co_await is_protected(reader, stack);
  co_return describe_stack(stack);
}

}  // namespace

Task<shapes::DescribeStacksOutput> describe_stacks(Service& service, wire::Context& context,
                                                   const shapes::DescribeStacksInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::DescribeStacksOutput out;
  out.stacks.emplace();
  if (request.stack_name) {
    Stack stack = co_await require_stack(*snapshot, context, *request.stack_name);
    out.stacks->push_back(co_await describe_with_root(*snapshot, std::move(stack)));
    co_return out;
  }
  const auto take = [&](Stack stack) -> Task<void> {
    if (stack.status == status::kDeleted) co_return;
    out.stacks->push_back(co_await describe_with_root(*snapshot, std::move(stack)));
  };
  out.next_token = co_await read_stacks(*snapshot, place_of(context), request.next_token, take);
  co_return out;
}

Task<shapes::ListStacksOutput> list_stacks(Service& service, wire::Context& context,
                                           const shapes::ListStacksInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListStacksOutput out;
  out.stack_summaries.emplace();
  const auto& wanted = request.stack_status_filter;
  const auto take = [&](Stack stack) -> Task<void> {
    const bool counts = !wanted || wanted->empty() || std::ranges::find(*wanted, stack.status) != wanted->end();
    if (counts) out.stack_summaries->push_back(summarize_stack(stack));
    co_return;
  };
  out.next_token = co_await read_stacks(*snapshot, place_of(context), request.next_token, take);
  co_return out;
}

Task<shapes::UpdateTerminationProtectionOutput> update_termination_protection(
    Service& service, wire::Context& context, const shapes::UpdateTerminationProtectionInput& request) {
  shapes::UpdateTerminationProtectionOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (!stack.parent.empty()) {
      throw errors::validation_error("Termination protection cannot be changed on nested stacks; change it on the root.");
    }
    if (stack.status == status::kDeleting || stack.status == status::kDeleted) {
      throw errors::validation_error(
          cat("Stack [", stack.id.name, "] cannot be changed while in status ", stack.status));
    }
    stack.termination_protection = request.enable_termination_protection;
    put_stack(txn, stack);
    out.stack_id = stack.id.arn();
  });
  co_return out;
}

}  // namespace tidemill::cloudformation

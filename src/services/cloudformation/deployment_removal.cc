// Taking back and removing: what a deployment does with one resource that is not to be as it is.
#include <algorithm>

#include "base/text.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/live_step.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr std::string_view kDeleting = "DELETE_IN_PROGRESS";

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

}  // namespace

// ---- Back to what was -----------------------------------------------------------------------------------------------

// What the template that was says of it beside its properties: policies, and what it depends on.
Task<void> Deployment::take_back_members(std::string name) {
  const Resource& now = resources_.find(name)->second;
  if (!names_of_plan().contains(name) || plan_->stack.resource(name)->type != now.type) co_return;
  Resource resource = planned(name);
  resource.imports.clear();
  const auto needed = plan_->scope.needs(json::Value(plan_->stack.resource(name)->properties)).imports;
  resource.imports.assign(needed.begin(), needed.end());
  try {
    co_await take_attributes(resource);
  } catch (const lang::templates::TemplateError&) {
    // What it names is not there while it is brought back: the description stays as it is.
  }
  if (encode_resource(resource) != encode_resource(now)) co_await save(std::move(resource), {});
}

Task<bool> Deployment::bring_back(std::string name) {
  const auto found = resources_.find(name);
  if (found == resources_.end() || found->second.undone || found->second.gone) co_return true;
  co_await take_back_members(name);
  Resource resource = resources_.find(name)->second;
  const bool is_in_this = resource.operation == stack_.operation;
  const bool is_resumed = is_in_this && resource.status == "UPDATE_IN_PROGRESS";
  if (resource.operation < stack_.since || (is_in_this && resource.status.ends_with("_COMPLETE"))) co_return true;

  if (!resource.before) {  // it was not there
    resource.undone = true;
    co_await save(std::move(resource), {});
    co_return true;
  }
  json::Object attempted = resource.attempted.value_or(resource.now.properties);
  const bool is_replaced = resource.now.physical_id != resource.before->physical_id;
  if (!is_resumed) {
    if (is_replaced) {
      // The old one is there still, among what is left over.
      Made made = resource.now;
      made.undone = true;
      const auto old = std::ranges::find(resource.leftovers, resource.before->physical_id, &Made::physical_id);
      resource.now = *resource.before;
      if (old != resource.leftovers.end()) {
        resource.now = std::move(*old);  // as it is: it may have been changed before it was replaced
        resource.leftovers.erase(old);
      }
      resource.leftovers.push_back(std::move(made));
    }
    // Where it was replaced, it was left between two before that, if at all.
    if (is_replaced || resource.replacing) {
      attempted = resource.now.attempted.value_or(resource.now.properties);
      resource.now.attempted.reset();
      resource.now.attempted_shown.reset();
    }
    resource.operation = stack_.operation;
    resource.status = "UPDATE_IN_PROGRESS";
    resource.reason.clear();
    resource.replaced_id.clear();  // nothing is being made anew any more, should this be cut off (settle())
    resource.attempted = attempted;
    resource.memory = json::Value();
    co_await tell(resource, Note{resource.now.physical_id, resource.before->visible()});
  }
  const ResourceType* type = find_type(resource.type);
  const Made before = *resource.before;
  // Earlier tries may have left what the last did not touch.
  const json::Object from = between(resource.now.properties, attempted, before.properties);
  const bool is_skipped = has(stack_.retained, name);
  std::string id = before.physical_id, problem;
  json::Object attributes = before.attributes;
  const bool is_untouched = resource.replacing && changed_properties(from, before.properties).empty();
  if (!is_untouched && type && type->update && !is_skipped) {
    LiveStep step(*this, resource, before.visible(), is_resumed, before.tags);
    try {
      id = co_await type->update(step, id, from, before.properties);
      if (type->attributes) attributes = co_await type->attributes(step, id, before.properties);
    } catch (...) {
      problem = failure_reason(std::current_exception(), resource.type, step.client_token(), "Resource update cancelled");
    }
  }
  if (!problem.empty()) {
    co_await fail(name, problem, before.visible());
    co_return false;
  }
  resource = resources_.find(name)->second;
  resource.now = before;
  resource.now.physical_id = id;
  resource.now.attributes = std::move(attributes);
  resource.attempted.reset();
  resource.attempted_shown.reset();
  resource.replacing = false;
  resource.status = "UPDATE_COMPLETE";
  resource.reason.clear();
  resource.memory = json::Value();
  co_await tell(std::move(resource), Note{id, before.visible()});
  co_return true;
}

// ---- Removing -------------------------------------------------------------------------------------------------------

Task<bool> Deployment::remove(std::string node) {
  const size_t mark = node.find('#');
  const std::string name = node.substr(0, mark);
  Resource resource = resources_.find(name)->second;
  if (mark != std::string::npos) {
    const size_t place = std::stoul(node.substr(mark + 1));
    const Made& made = resource.leftovers.at(place);
    if (made.physical_id.empty()) co_return true;
    // What stands for an import that is taken back has been replaced meanwhile.
    const bool is_let_go = made.imported && stack_.status != status::kCleaningUp && stack_.status != status::kDeleting;
    const bool is_kept = !made.undone && resource.update_replace_policy.starts_with("Retain") &&
                         (stack_.status == status::kCleaningUp || stack_.status == status::kDeleting);
    if (is_kept || is_let_go) co_return co_await skip(std::move(resource), place);
    co_return co_await remove_made(std::move(resource), place);
  }
  const bool undoes_creation = stack_.status == status::kRollingBack || resource.undone;
  if (undoes_creation && resource.now.imported && resource.exists()) co_return co_await let_go(std::move(resource));
  const bool is_named = stack_.status == status::kDeleting && has(stack_.retained, name);
  const bool is_kept = is_named || is_kept_by_policy(stack_, resource, undoes_creation);
  if (is_kept && resource.exists()) co_return co_await skip(std::move(resource), kWhole);
  co_return co_await remove_made(std::move(resource), kWhole);
}

namespace {

Task<void> remove_all_of(const ResourceType& type, Step& step, const Resource& resource, const Made& made) {
  if (type.takes_any_property) co_return co_await type.remove(step, made.physical_id, made.properties);
  const std::vector<json::Object> all = what_may_stand(resource, made);
  co_await type.remove(step, made.physical_id, all.front());
  if (!type.removed_by_properties) co_return;
  for (size_t i = 1; i < all.size(); ++i) co_await type.remove(step, made.physical_id, all[i]);
}

void forget_leftover(Resource& resource, size_t place) {
  resource.leftovers[place].physical_id.clear();
  if (std::ranges::all_of(resource.leftovers, [](const Made& one) { return one.physical_id.empty(); })) {
    resource.leftovers.clear();
  }
}

}  // namespace

Task<bool> Deployment::skip(Resource resource, size_t leftover) {
  Resource shown = resource;
  shown.status = status::kDeleteSkipped;
  shown.reason.clear();
  const std::string id = leftover == kWhole ? resource.now.physical_id : resource.leftovers.at(leftover).physical_id;
  if (leftover == kWhole) {
    resource.status = shown.status;
    resource.gone = true;
  } else {
    forget_leftover(resource, leftover);
  }
  std::vector<std::pair<Resource, Note>> events;
  events.emplace_back(std::move(shown), Note{id, std::nullopt});
  const bool is_nested = resource.type == kStackType;
  co_await save(std::move(resource), std::move(events), [&](store::Transaction& txn) -> Task<void> {
    if (is_nested) (void)co_await let_clean_up(txn, id, clock_.now());  // nobody will tell it any more
  });
  co_return true;
}

Task<bool> Deployment::remove_made(Resource resource, size_t leftover) {
  const std::string name = resource.logical_id;
  const bool is_whole = leftover == kWhole;
  const Made made = is_whole ? resource.now : resource.leftovers.at(leftover);
  const bool may_repeat = resource.status == kDeleting;
  std::optional<json::Object> properties;
  if (is_whole && stack_.status != status::kCleaningUp) properties = made.visible();

  Resource shown = resource;
  std::string problem;
  if (!made.physical_id.empty()) {
    shown.status = kDeleting;
    shown.reason.clear();
    if (!may_repeat) resource.memory = json::Value();  // what a creation has left is nothing to a removal
    if (is_whole) {
      resource.half_made = resource.is_half_made();  // the status will not tell any more
      resource.status = kDeleting;
      resource.reason.clear();
      resource.operation = stack_.operation;
    }
    std::vector<std::pair<Resource, Note>> begins;
    if (!may_repeat) begins.emplace_back(shown, Note{made.physical_id, properties});
    co_await save(resource, std::move(begins));
    LiveStep step(*this, resource, {}, may_repeat);
    try {
      const ResourceType* type = find_type(resource.type);
      if (!type) throw StepFailed(cat("Tidemill does not support the resource type ", resource.type, "."));
      if (type->remove) co_await remove_all_of(*type, step, resource, made);
    } catch (...) {
      problem = failure_reason(std::current_exception(), resource.type, step.client_token(),
                               "Resource deletion cancelled");
    }
  }
  resource = resources_.find(name)->second;
  shown.status = problem.empty() ? "DELETE_COMPLETE" : "DELETE_FAILED";
  shown.reason = problem;
  if (is_whole) {
    resource.status = shown.status;
    resource.reason = problem;
    resource.gone = problem.empty();
    resource.memory = json::Value();
  } else if (problem.empty()) {
    forget_leftover(resource, leftover);
  }
  std::vector<std::pair<Resource, Note>> ends;
  ends.emplace_back(std::move(shown), Note{made.physical_id, properties});
  co_await save(std::move(resource), std::move(ends));
  if (!problem.empty()) failed_removals_.push_back(name);
  co_return problem.empty();
}

}  // namespace tidemill::cloudformation

// What a deployment does with one resource.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/uuid.h"
#include "lang/templates/dynamic_reference.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/live_step.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/references.h"
#include "services/cloudformation/stack_outputs.h"
#include "services/cloudformation/stack_policy.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;
namespace templates = lang::templates;

namespace {

constexpr std::string_view kCreating = "CREATE_IN_PROGRESS";
constexpr std::string_view kUpdating = "UPDATE_IN_PROGRESS";
constexpr std::string_view kCreateFailed = "CREATE_FAILED";
constexpr std::string_view kUpdateFailed = "UPDATE_FAILED";
constexpr std::string_view kInitiated = "Resource creation Initiated";
constexpr std::string_view kReplaced =
    "Requested update requires the creation of a new physical resource; hence creating one.";

bool has_tags(const ResourceType& type) {
  return std::ranges::any_of(type.properties, [](const Property& one) { return one.name == "Tags"; });
}

// The new one stands in place of the old. Where a service tells of what stands already, as of a version that was
// published before, nothing is left over: to remove the old one would take the new one away.
void take_over(Resource& resource, std::string id) {
  if (resource.replacing) {
    const bool is_another = id != resource.now.physical_id;
    if (is_another) resource.leftovers.push_back(resource.now);
    resource.now = {.physical_id = std::move(id), .properties = *resource.attempted, .shown = resource.attempted_shown,
                    .imported = resource.now.imported && !is_another};
  } else {
    resource.now.physical_id = std::move(id);
  }
  resource.status = resource.replacing ? kUpdating : kCreating;
  resource.reason = kInitiated;
}

// Notes what there was before, unless an operation that is to be taken back with this one has touched it already.
void begin_touching(Resource& resource, const Stack& stack) {
  if (resource.operation < stack.since || resource.operation == 0) {
    resource.before = resource.exists() ? std::optional(resource.now) : std::nullopt;
  }
  if (resource.operation < stack.taken_back_from()) resource.noted = json::Value();
  resource.operation = stack.operation;
  resource.reason.clear();
  resource.memory = json::Value();
}

bool is_taken_over(const Resource& resource) {
  if (!resource.replacing) return !resource.now.physical_id.empty();
  return resource.now.physical_id != resource.replaced_id;
}

// A change in place has failed, or has not ended, and was left like that.
bool is_between(const Resource& resource) {
  return resource.attempted && !resource.replacing &&
         (resource.status == kUpdateFailed || resource.status == kUpdating);
}

// A change of what is_between() towards `after`.
void start_from_between(Resource& resource, const json::Object& after) {
  const auto names = changed_properties(*resource.attempted, after);
  if (resource.now.shown || resource.attempted_shown) {
    resource.now.shown =
        with_members(resource.now.visible(), resource.attempted_shown.value_or(*resource.attempted), names);
  }
  resource.now.properties = between(std::move(resource.now.properties), *resource.attempted, after);
}

// A creation that failed half-made, and was kept: that goes once a new one stands.
void give_up_creation(Resource& resource) {
  if (!resource.exists()) return;
  resource.leftovers.push_back(resource.now);
  resource.leftovers.back().undone = true;
  resource.now = Made();
}

// A replacement that failed half-made, and was kept, goes; what it was to replace stands again, as it was by then.
void give_up_replacement(Resource& resource) {
  const auto old = std::ranges::find(resource.leftovers, resource.replaced_id, &Made::physical_id);
  if (is_taken_over(resource) && old != resource.leftovers.end()) {
    std::swap(resource.now, *old);
    old->undone = true;
  }
  resource.attempted = std::exchange(resource.now.attempted, std::nullopt);
  resource.attempted_shown = std::exchange(resource.now.attempted_shown, std::nullopt);
  resource.replacing = false;
}

}  // namespace

// ---- Writing --------------------------------------------------------------------------------------------------------

Task<void> Deployment::save(Resource resource, std::vector<std::pair<Resource, Note>> events, Check check) {
  const auto found = resources_.find(resource.logical_id);
  const Resource* before = found == resources_.end() ? nullptr : &found->second;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure_->fence(txn);
    if (check) co_await check(txn);
    std::vector<Time> times;
    for (size_t i = 0; i < events.size(); ++i) times.push_back(co_await next_time(txn));
    if (!times.empty()) resource.changed = times.back();
    put_resource(txn, stack_.id, resource, before);
    for (size_t i = 0; i < events.size(); ++i) {
      const auto& [shown, note] = events[i];
      const json::Object* const properties = note.properties ? &*note.properties : nullptr;
      co_await put_resource_event(txn, stack_, shown, note.physical_id, properties, times[i], clock_.now());
    }
    if (!events.empty()) co_await notify_of_events(txn, stack_, clock_.now());
  });
  resources_[resource.logical_id] = std::move(resource);
}

Task<void> Deployment::tell(Resource resource, Note note) {
  std::vector<std::pair<Resource, Note>> events;
  events.emplace_back(resource, std::move(note));
  return save(std::move(resource), std::move(events));
}

Task<void> Deployment::made(std::string name, std::string id, json::Object shown) {
  Resource resource = resources_.find(name)->second;
  if (is_taken_over(resource)) co_return;  // by a try before this one
  take_over(resource, id);
  co_await tell(std::move(resource), Note{std::move(id), std::move(shown)});
}

Task<void> Deployment::fail(std::string name, std::string reason, const json::Object& shown) {
  Resource resource = resources_.find(name)->second;
  resource.status = resource.status == kCreating ? kCreateFailed : kUpdateFailed;
  resource.reason = std::move(reason);
  note_failure(resource);
  const std::string id = resource.now.physical_id;
  co_await tell(std::move(resource), Note{id, shown});
}

void Deployment::note_failure(const Resource& resource) {
  auto& failed = resource.status == kCreateFailed           ? failed_creates_
                 : resource.status == status::kImportFailed ? failed_imports_
                                                            : failed_updates_;
  failed.push_back(resource.logical_id);
}

// ---- What templates say ---------------------------------------------------------------------------------------------

Resource Deployment::planned(std::string_view name) const {
  const auto found = resources_.find(name);
  Resource resource;
  if (found != resources_.end()) resource = found->second;
  const templates::Resource& from = *plan_->stack.resource(name);
  resource.logical_id = name;
  resource.type = from.type;
  resource.deletion_policy = from.deletion_policy;
  resource.update_replace_policy = from.update_replace_policy;
  const auto& needed = plan_->graph.dependencies(name);
  resource.depends_on.assign(needed.begin(), needed.end());
  return resource;
}

Task<templates::Known> Deployment::known_for(json::Value written, std::string where) {
  const templates::Needs needs = plan_->scope.needs(written);
  templates::Known known;
  for (const std::string& name : needs.refs) {
    const auto found = resources_.find(name);
    if (found != resources_.end()) known.refs[name] = found->second.now.physical_id;
  }
  for (const auto& attribute : needs.attributes) {
    const auto found = resources_.find(attribute.first);
    if (found == resources_.end()) continue;
    const json::Value* value = found->second.now.attributes.find(attribute.second);
    if (!value) throw templates::TemplateError(unknown_attribute(found->second, attribute.second, where));
    known.attributes[attribute] = *value;
  }
  co_await hold_imports(needs.imports);
  for (const std::string& name : needs.imports) known.imports[name] = held_imports_.find(name)->second;
  if (!needs.outputs.empty()) {
    LiveStep step(*this);
    co_await add_outputs(plan_->scope, written, known,
                         [&](templates::OutputOfStack name) { return step.output_of(std::move(name)); });
  }
  co_return known;
}

Task<json::Value> Deployment::without_references(json::Value value) {
  const auto references = templates::dynamic_references(value);
  co_return co_await replace_references(std::move(value), references);
}

Task<json::Value> Deployment::replace_references(json::Value value,
                                                 std::vector<templates::DynamicReference> references) {
  if (references.empty()) co_return value;
  LiveStep step(*this);
  const auto values = co_await resolve_references(step, references);
  co_return templates::replace_dynamic_references(value, values);
}

Task<Deployment::Properties> Deployment::properties_of(std::string name) {
  const templates::Resource& from = *plan_->stack.resource(name);
  const json::Value written(from.properties);
  Properties result;
  const auto needs = plan_->scope.needs(written);
  result.imports.assign(needs.imports.begin(), needs.imports.end());
  auto known = co_await known_for(written, cat("/Resources/", name, "/Properties"));
  json::Value value = plan_->scope.evaluate(written, known);
  known.hides_no_echo = true;
  for (auto& [attribute, known_value] : known.attributes) {
    if (resources_.find(attribute.first)->second.now.hides_attributes) known_value = json::Value(templates::kHiddenValue);
  }
  const json::Value shown = plan_->scope.evaluate(written, known);
  if (shown.is_object()) result.shown = shown.object();
  // Where only another resource tells that it is one; of all others the request was refused.
  if (const auto places = misplaced_secure_references(from.type, value); !places.empty()) {
    throw templates::TemplateError(refusal_of_secure_references(places));
  }
  value = co_await without_references(std::move(value));
  result.has_secrets = !json::equal(value, shown);
  const ResourceType* type = find_type(from.type);
  if (!type) throw StepFailed(cat("Tidemill does not support the resource type ", from.type, "."));
  result.checked = checked_properties(*type, name, value.is_object() ? value.object() : json::Object());
  co_return result;
}

Task<void> Deployment::take_attributes(Resource& resource) {
  const std::string name = resource.logical_id;
  const templates::Resource& from = *plan_->stack.resource(name);
  resource.metadata.clear();
  if (!from.metadata.is_null()) {
    const auto known = co_await known_for(from.metadata, cat("/Resources/", name, "/Metadata"));
    resource.metadata = json::write(plan_->scope.evaluate(from.metadata, known));
  }
  resource.creation_policy = json::Value();
  if (!from.creation_policy.is_null()) {
    const auto known = co_await known_for(from.creation_policy, cat("/Resources/", name, "/CreationPolicy"));
    resource.creation_policy = plan_->scope.evaluate(from.creation_policy, known);
  }
}

// ---- Making and changing --------------------------------------------------------------------------------------------

Task<bool> Deployment::make_or_change(std::string name) {
  if (stack_.importing.contains(name)) co_return co_await take_in(std::move(name));
  const auto found = resources_.find(name);
  const bool is_touched = found != resources_.end() && found->second.operation == stack_.operation;
  if (is_touched && found->second.status.ends_with("_COMPLETE") && !found->second.gone) co_return true;
  if (is_touched && found->second.status.ends_with("_FAILED") && !found->second.gone) {
    // This has ended between the failure and what was to follow it.
    note_failure(found->second);
    co_return false;
  }

  Resource resource = planned(name);
  resource.undone = false;  // a removal that failed may have left it: it is wanted again
  // By an update that has failed at it, or that ended for another's failure before it came to this again.
  const bool was_left = resource.status == kUpdateFailed || (resource.status == kUpdating && !is_touched);
  if (was_left && resource.replacing) give_up_replacement(resource);
  const bool is_there = found != resources_.end() && found->second.exists() && resource.status != kCreateFailed &&
                        resource.status != kCreating && !resource.half_made;
  Properties properties;
  std::string problem;
  try {
    properties = co_await properties_of(name);
    resource.imports = properties.imports;
    co_await take_attributes(resource);
  } catch (...) {
    problem = failure_reason(std::current_exception(), resource.type, base::new_uuid(), "");
  }
  if (!problem.empty()) {
    co_return co_await fail_at_once(std::move(resource), is_there, std::move(problem), std::move(properties.shown));
  }
  if (!is_there) co_return co_await create(std::move(resource), std::move(properties));

  const ResourceType& type = *find_type(resource.type);
  if (is_touched && resource.status == kUpdating) {
    if (resource.replacing) co_return co_await make(std::move(resource), std::move(properties.shown), true);
    co_return co_await change(std::move(resource), std::move(properties));
  }
  const bool are_tags_same = !has_tags(type) || resource.now.tags == stack_.settings().tags;
  const bool is_nested = resource.type == kStackType;  // its template may have changed where it is
  if (!was_left && !is_nested && are_tags_same && changed_properties(resource.now.properties, properties.checked).empty()) {
    if (encode_resource(resource) != encode_resource(resources_.find(name)->second)) co_await save(std::move(resource), {});
    co_return true;
  }
  const bool is_replaced = needs_replacement(type, resource.now.properties, properties.checked);
  const bool is_looked_after = is_nested && changed_properties(resource.now.properties, properties.checked).empty();
  if (!is_looked_after &&
      co_await is_denied(resource, is_replaced ? "Update:Replace" : "Update:Modify", properties.shown)) {
    co_return false;
  }
  if (is_replaced) {
    co_return co_await replace(std::move(resource), std::move(properties));
  }
  std::string refusal = why_refused(type, resource, properties.checked);
  if (!refusal.empty()) {
    co_return co_await fail_at_once(std::move(resource), true, std::move(refusal), std::move(properties.shown));
  }
  co_return co_await change(std::move(resource), std::move(properties));
}

std::string Deployment::why_refused(const ResourceType& type, const Resource& resource,
                                    const json::Object& after) const {
  if (!type.refuses || stack_.is_returning()) return "";
  return std::string(type.refuses(resource.now.properties, after));
}

Task<bool> Deployment::is_denied(const Resource& resource, std::string_view action, const json::Object& shown) {
  const std::string& policy = stack_.policy_of_update.empty() ? stack_.policy : stack_.policy_of_update;
  if (policy.empty() || stack_.status != status::kUpdating) co_return false;
  std::string problem = StackPolicy(policy).why_denied(action, resource.logical_id, resource.type);
  if (problem.empty()) co_return false;
  co_await fail_at_once(resource, true, std::move(problem), shown);
  co_return true;
}

// What the update would remove in the end must not be found out then, when there is no way back.
Task<bool> Deployment::are_removals_denied() {
  const std::set<std::string> wanted = names_of_plan();
  bool result = false;
  for (const auto& [name, resource] : Resources(resources_)) {
    if (wanted.contains(name) || !resource.exists() || resource.undone) continue;
    const bool was_denied = resource.operation == stack_.operation && resource.status == kUpdateFailed;
    if (was_denied) note_failure(resource);  // by the one that was killed before this
    if (was_denied || co_await is_denied(resource, "Update:Delete", resource.now.visible())) result = true;
  }
  co_return result;
}

// It begins, and fails: what it is to be cannot be told. One write has both, so that no try of it is ever repeated.
Task<bool> Deployment::fail_at_once(Resource resource, bool is_there, std::string problem, json::Object shown) {
  if (!is_between(resource)) {
    resource.attempted.reset();
    resource.attempted_shown.reset();
  }
  if (!is_there) {
    give_up_creation(resource);
    resource.now = Made();
  }
  begin_touching(resource, stack_);
  resource.replacing = resource.gone = false;
  const Note note{resource.now.physical_id, std::move(shown)};
  std::vector<std::pair<Resource, Note>> events;
  resource.status = is_there ? kUpdating : kCreating;
  events.emplace_back(resource, note);
  resource.status = is_there ? kUpdateFailed : kCreateFailed;
  resource.reason = std::move(problem);
  events.emplace_back(resource, note);
  note_failure(resource);
  co_await save(std::move(resource), std::move(events));
  co_return false;
}

Task<bool> Deployment::create(Resource resource, Properties properties) {
  const bool may_repeat = resource.status == kCreating && resource.operation == stack_.operation;
  if (!may_repeat) {
    give_up_creation(resource);
    begin_touching(resource, stack_);
    resource.status = kCreating;
    resource.now = {.physical_id = "", .properties = std::move(properties.checked), .shown = properties.shown_apart()};
    resource.attempted.reset();
    resource.attempted_shown.reset();
    resource.replacing = resource.undone = resource.half_made = resource.gone = false;
    co_await tell(resource, Note{"", properties.shown});
  }
  co_return co_await make(std::move(resource), std::move(properties.shown), may_repeat);
}

Task<bool> Deployment::replace(Resource resource, Properties properties) {
  const std::string_view named_by = find_type(resource.type)->name_property;
  const std::string name = named_by.empty() ? std::string() : text_of(properties.checked, named_by);
  if (!name.empty() && name == text_of(resource.now.properties, named_by)) {
    co_return co_await fail_at_once(
        std::move(resource), true,
        cat("CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ", name,
            " and update the stack again."),
        std::move(properties.shown));
  }
  if (is_between(resource)) {
    resource.now.attempted = std::move(resource.attempted);
    resource.now.attempted_shown = std::move(resource.attempted_shown);
  }
  begin_touching(resource, stack_);
  resource.status = kUpdating;
  resource.reason = kReplaced;
  resource.attempted = std::move(properties.checked);
  resource.attempted_shown = properties.shown_apart();
  resource.replacing = true;
  resource.replaced_id = resource.now.physical_id;
  co_await tell(resource, Note{resource.now.physical_id, properties.shown});
  co_return co_await make(std::move(resource), std::move(properties.shown), false);
}

// By the type's create().
Task<bool> Deployment::make(Resource resource, json::Object shown, bool may_repeat) {
  const std::string name = resource.logical_id;
  const ResourceType& type = *find_type(resource.type);
  const json::Object properties = resource.replacing ? *resource.attempted : resource.now.properties;
  LiveStep step(*this, resource, shown, may_repeat);
  std::string id, problem;
  json::Object attributes;
  try {
    id = co_await type.create(step, properties);
    if (type.attributes) attributes = co_await type.attributes(step, id, properties);
  } catch (...) {
    problem = failure_reason(std::current_exception(), resource.type, step.client_token(),
                             resource.replacing ? "Resource update cancelled" : "Resource creation cancelled");
  }
  if (!problem.empty()) {
    co_await fail(name, problem, shown);
    co_return false;
  }
  std::vector<std::pair<Resource, Note>> events;
  resource = resources_.find(name)->second;
  if (!is_taken_over(resource)) {
    take_over(resource, id);
    events.emplace_back(resource, Note{id, shown});
  }
  resource.now.physical_id = id;
  resource.now.attributes = std::move(attributes);
  resource.now.hides_attributes = step.hides_attributes();
  resource.now.tags = stack_.settings().tags;
  resource.status = resource.replacing ? "UPDATE_COMPLETE" : "CREATE_COMPLETE";
  resource.reason.clear();
  resource.memory = json::Value();
  events.emplace_back(resource, Note{id, shown});
  co_await save(std::move(resource), std::move(events));
  co_return true;
}

Task<bool> Deployment::change(Resource resource, Properties properties) {
  const std::string name = resource.logical_id;
  const ResourceType& type = *find_type(resource.type);
  const json::Object& shown = properties.shown;
  const bool may_repeat = resource.status == kUpdating && resource.operation == stack_.operation;
  if (!may_repeat) {
    if (is_between(resource)) start_from_between(resource, properties.checked);
    begin_touching(resource, stack_);
    resource.status = kUpdating;
    resource.attempted = std::move(properties.checked);
    resource.attempted_shown = properties.shown_apart();
    resource.replacing = false;
    co_await tell(resource, Note{resource.now.physical_id, shown});
  }
  LiveStep step(*this, resource, shown, may_repeat);
  std::string id = resource.now.physical_id, problem;
  json::Object attributes;
  const json::Object before = resource.now.properties, after = *resource.attempted;
  try {
    if (type.update) id = co_await type.update(step, id, before, after);
    if (type.attributes) attributes = co_await type.attributes(step, id, after);
  } catch (...) {
    problem = failure_reason(std::current_exception(), resource.type, step.client_token(), "Resource update cancelled");
  }
  if (!problem.empty()) {
    co_await fail(name, problem, shown);
    co_return false;
  }
  resource = resources_.find(name)->second;
  const bool is_another = id != resource.now.physical_id;
  if (is_another) resource.leftovers.push_back(resource.now);
  resource.now = {.physical_id = id, .properties = after, .shown = resource.attempted_shown,
                  .attributes = std::move(attributes), .hides_attributes = step.hides_attributes(),
                  .tags = stack_.settings().tags, .imported = resource.now.imported && !is_another};
  resource.attempted.reset();
  resource.attempted_shown.reset();
  resource.memory = json::Value();
  resource.status = "UPDATE_COMPLETE";
  resource.reason.clear();
  co_await tell(std::move(resource), Note{id, shown});
  co_return true;
}

}  // namespace tidemill::cloudformation

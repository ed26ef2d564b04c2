// What stands already, taken into a stack: nothing is made or changed, and in a rollback it is let go again. By an import
// that is all that happens; a creation or an update does it along the graph among its other steps (ImportExistingResources).
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/identification.h"
#include "services/cloudformation/imports.h"
#include "services/cloudformation/live_step.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr std::string_view kStarted = "Resource import started.";
constexpr std::string_view kCompleted = "Resource import completed.";

}  // namespace

Task<void> Deployment::take_in_all() {
  std::vector<GraphWalk::Node> nodes;
  for (const std::string& name : plan_->graph.order()) {
    const auto& after = plan_->graph.dependencies(name);
    nodes.push_back({name, {after.begin(), after.end()}});
  }
  const Ending ending =
      co_await walk(std::move(nodes), [this](std::string name) { return take_in(std::move(name)); }, true);
  if (ending == Ending::superseded) throw Superseded();
  if (ending == Ending::failed) co_return co_await has_failed("");
  co_await complete();
}

// False: another stack has taken it in since the change set was made. Then this one has failed, and has no id of it.
Task<bool> Deployment::begin_taking_in(Resource resource, Note note) {
  std::string problem;
  std::vector<std::pair<Resource, Note>> events;
  events.emplace_back(resource, note);
  try {
    const Names leaving = names_left_alone(*plan_, resources_);
    co_await save(resource, events, [&](store::Transaction& txn) -> Task<void> {
      const auto taken =
          co_await why_taken(txn, stack_.id, {resource.logical_id, resource.type, note.physical_id, resource.now.properties}, leaving);
      if (taken) throw StepFailed(*taken);
    });
  } catch (const StepFailed& error) {
    problem = error.what();
  }
  if (problem.empty()) co_return true;
  resource.now.physical_id.clear();
  resource.status = status::kImportFailed;
  resource.reason = std::move(problem);
  note_failure(resource);
  events.emplace_back(resource, std::move(note));
  co_await save(std::move(resource), std::move(events));
  co_return false;
}

Task<bool> Deployment::take_in(std::string name) {
  const auto id = stack_.importing.find(name);
  if (id == stack_.importing.end()) co_return true;  // it is in the stack, and stays as it is
  Resource resource = planned(name);
  const bool is_touched = resource.operation == stack_.operation;
  if (is_touched && resource.status == status::kImported) co_return true;
  if (is_touched && resource.status == status::kImportFailed) {  // by the one that was killed before this
    note_failure(resource);
    co_return false;
  }
  const bool has_begun = is_touched && !resource.now.physical_id.empty();
  resource.operation = stack_.operation;
  resource.before.reset();
  resource.attempted.reset();
  resource.attempted_shown.reset();
  resource.replacing = resource.undone = resource.half_made = resource.gone = false;
  resource.status = status::kImporting;
  resource.reason = kStarted;
  resource.now = {.physical_id = id->second, .imported = true};
  std::string problem;
  json::Object shown, attributes;
  try {
    Properties properties = co_await properties_of(name);
    shown = properties.shown;
    resource.imports = properties.imports;
    co_await take_attributes(resource);
    resource.now.shown = properties.shown_apart();
    resource.now.properties = std::move(properties.checked);
  } catch (...) {
    problem = failure_reason(std::current_exception(), resource.type, base::new_uuid(), "Resource import cancelled");
  }
  const Note note{id->second, shown};
  if (!has_begun && !co_await begin_taking_in(resource, note)) co_return false;
  if (problem.empty()) {
    LiveStep step(*this, resource, shown, true);
    try {
      const ResourceType& type = *find_type(resource.type);
      co_await require_there(step, *find_identification(resource.type), id->second, resource.now.properties);
      if (type.attributes) attributes = co_await type.attributes(step, id->second, resource.now.properties);
    } catch (...) {
      problem = failure_reason(std::current_exception(), resource.type, step.client_token(), "Resource import cancelled");
    }
  }
  resource.now.attributes = std::move(attributes);
  resource.status = problem.empty() ? status::kImported : status::kImportFailed;
  resource.reason = problem.empty() ? std::string(kCompleted) : problem;
  if (!problem.empty()) {
    resource.now.physical_id.clear();  // there is nothing that the stack could have
    note_failure(resource);
  }
  co_await tell(std::move(resource), note);
  co_return problem.empty();
}

// It stays as it is, and is the stack's no more.
Task<bool> Deployment::let_go(Resource resource) {
  std::vector<std::pair<Resource, Note>> events;
  resource.reason.clear();
  resource.status = status::kImportUndoing;
  events.emplace_back(resource, Note{resource.now.physical_id, resource.now.visible()});
  resource.status = status::kImportUndone;
  resource.gone = true;
  events.emplace_back(resource, Note{resource.now.physical_id, resource.now.visible()});
  co_await save(std::move(resource), std::move(events));
  co_return true;
}

Task<void> Deployment::undo_import() {
  for (const auto& [name, taken] : Resources(resources_)) {
    if (taken.operation != stack_.operation || !stack_.importing.contains(name) || taken.gone) continue;
    (void)co_await let_go(taken);
  }
  co_await become(status::kImportUndone, "", [this](store::Transaction& txn, Stack& stack) -> Task<void> {
    for (const auto& [name, resource] : resources_) {
      if (resource.gone && stack.importing.contains(name)) erase_resource(txn, stack.id, resource);
    }
    stack.importing.clear();
    stack.target.reset();
    erase_template(txn, stack.id, kTargetTemplate);
    co_await write_imports(txn, stack);
  });
}

}  // namespace tidemill::cloudformation

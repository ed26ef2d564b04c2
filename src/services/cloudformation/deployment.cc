#include "services/cloudformation/deployment.h"

#include <algorithm>

#include "base/text.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/live_step.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/running.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += result.empty() ? name : cat(", ", name);
  return result;
}

}  // namespace

Deployment::Deployment(wire::Platform& platform, base::BlockingWork& template_work,
                       std::shared_ptr<const engine::Tenure> tenure, const store::Timer& timer)
    : platform_(platform), template_work_(template_work), store_(platform.store), clock_(platform.clock),
      tenure_(std::move(tenure)), timer_(timer), news_(std::make_shared<std::atomic<bool>>(false)) {}

Task<void> Deployment::run(StackId id) {
  const auto subscription = store_.subscribe(stack_topic(id.uuid), [news = news_, wake = wake_] {
    news->store(true);
    wake.signal();
  });
  while (co_await load(id)) {
    bool superseded = false;
    try {
      co_await run_phase();
    } catch (const Superseded&) {
      superseded = true;
    }
    if (superseded) continue;
  }
}

// False: the stack is at rest, or not there.
Task<bool> Deployment::load(const StackId& id) {
  news_->store(false);
  stopping_ = false;
  failed_creates_.clear();
  failed_updates_.clear();
  failed_imports_.clear();
  failed_removals_.clear();
  plan_.reset();
  held_imports_.clear();
  const auto snapshot = store_.snapshot();
  auto stack = co_await load_stack(*snapshot, id.place, id.uuid);
  if (!stack || !is_at_work(*stack)) co_return false;
  stack_ = *std::move(stack);
  output_imports_ = {stack_.imports.begin(), stack_.imports.end()};
  resources_ = co_await load_resources(*snapshot, stack_.id);
  next_event_ = std::max(next_event_, co_await next_event_time(*snapshot, stack_.id, EventBy::engine, clock_.now()));
  if (stack_.status == status::kCreating || stack_.status == status::kUpdating || stack_.status == status::kImporting) {
    plan_ = co_await load_plan(template_work_, *snapshot, stack_.id, kTargetTemplate, *stack_.target);
  } else if (stack_.status == status::kCleaningUp || stack_.status == status::kUndoing ||
             stack_.status == status::kUndoneCleaningUp) {
    plan_ = co_await load_plan(template_work_, *snapshot, stack_.id, kCurrentTemplate, *stack_.current);
  }
  co_return true;
}

Task<void> Deployment::run_phase() {
  if (plan_ && (stack_.status == status::kCreating || stack_.status == status::kUpdating)) return deploy();
  if (plan_ && stack_.status == status::kImporting) return take_in_all();
  if (stack_.status == status::kImportUndoing) return undo_import();
  if (stack_.status == status::kUndoing) return undo();
  if (stack_.status == status::kCleaningUp || stack_.status == status::kUndoneCleaningUp) return clean_up();
  return remove_all();
}

Task<Time> Deployment::next_time(store::Transaction& txn) {
  Time time = event_time(std::max(next_event_, clock_.now()), EventBy::engine);
  if (!stack_.settings().notification_arns.empty()) {
    time = std::max(time, co_await next_event_time(txn, stack_.id, EventBy::engine, clock_.now()));
  }
  next_event_ = time + kEventStep;
  co_return time;
}

Task<void> Deployment::become(std::string_view stack_status, std::string reason, Change change) {
  Stack next;
  bool superseded = false;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    superseded = false;
    co_await tenure_->fence(txn);
    auto stored = co_await load_stack(txn, stack_.place(), stack_.id.uuid);
    if (!stored || stored->status != stack_.status || stored->operation != stack_.operation) {
      superseded = true;
      co_return;
    }
    stored->status = stack_status;
    stored->reason = reason;
    if (change) co_await change(txn, *stored);
    put_stack(txn, *stored);
    co_await put_stack_event(txn, *stored, co_await next_time(txn), clock_.now());
    co_await notify_of_events(txn, *stored, clock_.now());
    if (!is_at_work(*stored)) {
      (void)co_await store::finish_timer(txn, timer_);
      txn.signal(stack_topic(stored->id.uuid));
    }
    next = *std::move(stored);
  });
  if (superseded) throw Superseded();
  stack_ = std::move(next);
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

Task<bool> Deployment::may_go_on(bool stops_at_failures, const GraphWalk& walk) {
  if (news_->exchange(false)) {
    const auto snapshot = store_.snapshot();
    const auto stored = co_await load_stack(*snapshot, stack_.place(), stack_.id.uuid);
    if (!stored || stored->status != stack_.status || stored->cancelled != stack_.cancelled) stopping_ = true;
  }
  if (stack_.deadline && stack_.status == status::kCreating && clock_.now() >= *stack_.deadline) stopping_ = true;
  if (stack_.cancelled && stack_.status == status::kUpdating) stopping_ = true;  // before a crash
  if (stops_at_failures && !walk.failed().empty()) stopping_ = true;
  if (stopping_) {
    for (const base::Signal* waiting : waiting_) waiting->signal();
  }
  co_return !stopping_;
}

Task<Deployment::Ending> Deployment::walk(std::vector<GraphWalk::Node> nodes, GraphWalk::Work work,
                                          bool stops_at_failures) {
  GraphWalk walk(std::move(nodes), kStepsAtOnceMax, wake_);
  const bool is_timed = stack_.deadline && stack_.status == status::kCreating;
  co_await walk.run(
      std::move(work), [&]() -> Task<bool> { return may_go_on(stops_at_failures, walk); },
      [&]() -> Task<void> {
        if (is_timed && clock_.now() < *stack_.deadline) {
          (void)co_await clock_.wait(wake_, *stack_.deadline);
        } else {
          (void)co_await wake_;
        }
      });
  if (walk.is_done()) co_return Ending::done;
  co_return walk.failed().empty() ? Ending::superseded : Ending::failed;
}

// ---- Phases ---------------------------------------------------------------------------------------------------------

Task<void> Deployment::deploy() {
  std::string problem;
  try {
    co_await check_imports();
  } catch (const lang::templates::TemplateError& error) {
    problem = error.what();
  }
  if (!problem.empty()) co_return co_await has_failed(cat(problem, ". Rollback requested by user."));

  if (stack_.status == status::kUpdating && co_await are_removals_denied()) co_return co_await has_failed("");

  std::vector<GraphWalk::Node> nodes;
  for (const std::string& name : plan_->graph.order()) {
    const auto& after = plan_->graph.dependencies(name);
    nodes.push_back({name, {after.begin(), after.end()}});
  }
  const Ending ending =
      co_await walk(std::move(nodes), [this](std::string name) { return make_or_change(std::move(name)); }, true);
  if (ending == Ending::done) co_return co_await complete();
  const auto snapshot = store_.snapshot();
  const auto stored = co_await load_stack(*snapshot, stack_.place(), stack_.id.uuid);
  if (!stored || stored->status != stack_.status) throw Superseded();
  stack_.cancelled = stored->cancelled;
  if (stack_.cancelled) co_return co_await has_failed("User Initiated");
  if (stack_.deadline && clock_.now() >= *stack_.deadline) {
    co_return co_await has_failed("Stack creation time exceeded the specified timeout. Rollback requested by user.");
  }
  co_await has_failed("");
}

std::string Deployment::failed_resources() const {
  std::string result;
  if (!failed_creates_.empty()) {
    result += cat("The following resource(s) failed to create: [", joined(failed_creates_), "]. ");
  }
  if (!failed_updates_.empty()) {
    result += cat("The following resource(s) failed to update: [", joined(failed_updates_), "]. ");
  }
  if (!failed_imports_.empty()) {
    result += cat("The following resource(s) failed to import: [", joined(failed_imports_), "]. ");
  }
  if (!failed_removals_.empty()) {
    result += cat("The following resource(s) failed to delete: [", joined(failed_removals_), "]. ");
  }
  return result;
}

Task<void> Deployment::has_failed(std::string reason) {
  if (stack_.status == status::kImporting) {
    if (reason.empty()) reason = failed_resources();
    co_return co_await become(status::kImportUndoing, reason);
  }
  const bool is_creation = stack_.status == status::kCreating;
  if (reason.empty()) {
    reason = failed_resources();
    if (is_creation && !stack_.disable_rollback) reason += "Rollback requested by user.";
  }
  const bool is_kept =
      (stack_.disable_rollback || (is_creation && stack_.on_failure == "DO_NOTHING")) && !stack_.cancelled;
  if (is_kept) {
    co_return co_await become(is_creation ? status::kCreateFailed : status::kUpdateFailed, reason,
                              [](store::Transaction&, Stack& stack) -> Task<void> {
                                stack.deadline.reset();
                                co_return;
                              });
  }
  if (is_creation) {
    const auto next = stack_.on_failure == "DELETE" ? status::kDeleting : status::kRollingBack;
    co_return co_await become(next, reason, [](store::Transaction&, Stack& stack) -> Task<void> {
      stack.deadline.reset();
      co_return;
    });
  }
  co_await become(status::kUndoing, reason, begin_undoing);
}

// Brings back what was, in the order of the template that was.
Task<void> Deployment::undo() {
  co_await settle();
  std::vector<GraphWalk::Node> nodes;
  for (const std::string& name : plan_->graph.order()) {
    const auto& after = plan_->graph.dependencies(name);
    nodes.push_back({name, {after.begin(), after.end()}});
  }
  const std::set<std::string> known = names_of_plan();
  for (const auto& [name, resource] : resources_) {
    if (!known.contains(name)) nodes.push_back({name, {}});
  }
  const Ending ending =
      co_await walk(std::move(nodes), [this](std::string name) { return bring_back(std::move(name)); }, false);
  if (ending == Ending::superseded) throw Superseded();
  if (ending == Ending::failed) co_return co_await become(status::kUndoFailed, failed_resources());
  const std::optional<Former> former = stack_.nesting ? stack_.nesting->before : std::nullopt;
  const auto& imports = former ? former->imports : stack_.imports;
  output_imports_ = {imports.begin(), imports.end()};
  std::string problem;
  try {
    co_await become(status::kUndoneCleaningUp, "", [&](store::Transaction& txn, Stack& stack) -> Task<void> {
      if (former) co_await write_exports(txn, stack, former->outputs);
      stack.target.reset();
      stack.importing.clear();
      stack.retained.clear();
      stack.cancelled = false;
      co_await erase_unexecuted(txn, stack.id, clock_.now());
      erase_template(txn, stack.id, kTargetTemplate);
      co_await write_imports(txn, stack);
      if (!former) co_return;
      stack.outputs = former->outputs;
      stack.imports = former->imports;
      forget_before(txn, stack);
    });
  } catch (const ExportRefused& refused) {
    problem = refused.what();  // another has taken the name of an export that was given up, or uses what is to go
  }
  if (!problem.empty()) co_await become(status::kUndoFailed, problem);
}

std::set<std::string> Deployment::names_of_plan() const {
  const auto& order = plan_->graph.order();
  return {order.begin(), order.end()};
}

namespace {

// Each goes before what it depends on.
std::vector<GraphWalk::Node> removal_order(const Resources& resources, const std::vector<std::string>& nodes,
                                           const std::map<std::string, std::string>& resource_of_node) {
  std::map<std::string, std::vector<std::string>> nodes_of;
  for (const std::string& node : nodes) nodes_of[resource_of_node.at(node)].push_back(node);
  std::map<std::string, GraphWalk::Node> result;
  for (const std::string& node : nodes) result[node].name = node;
  // Those of one resource go one after the other: they share a record.
  for (const auto& [name, list] : nodes_of) {
    for (size_t i = 1; i < list.size(); ++i) result[list[i]].after.push_back(list[i - 1]);
  }
  for (const std::string& node : nodes) {
    for (const std::string& needed : resources.find(resource_of_node.at(node))->second.depends_on) {
      const auto found = nodes_of.find(needed);
      if (found == nodes_of.end()) continue;
      for (const std::string& other : found->second) result[other].after.push_back(node);
    }
  }
  std::vector<GraphWalk::Node> list;
  for (auto& [name, node] : result) list.push_back(std::move(node));
  return list;
}

}  // namespace

// Nested stacks that are held clean up first: what they are to remove uses what this one is.
Task<void> Deployment::let_nested_clean_up() {
  std::vector<GraphWalk::Node> nested;
  for (const auto& [name, resource] : resources_) {
    if (resource.type == kStackType && resource.exists()) nested.push_back({name, {}});
  }
  const Ending ending = co_await walk(
      std::move(nested), [this](std::string name) { return let_one_clean_up(std::move(name)); }, false);
  if (ending == Ending::superseded) throw Superseded();
}

Task<bool> Deployment::let_one_clean_up(std::string name) {
  const Resource resource = resources_.find(name)->second;
  bool cleans_up = false;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure_->fence(txn);
    cleans_up = co_await let_clean_up(txn, resource.now.physical_id, clock_.now());
  });
  if (!cleans_up) co_return true;
  LiveStep step(*this, resource, {}, true);
  try {
    (void)co_await await_child(step, resource.now.physical_id);
  } catch (const StepFailed&) {
    // It is gone.
  }
  co_return true;
}

// A node is a resource's name, or that with "#<place>" for what it has left over.
Task<void> Deployment::clean_up() {
  co_await let_nested_clean_up();
  const std::set<std::string> wanted = names_of_plan();
  std::vector<std::string> nodes;
  std::map<std::string, std::string> resource_of;
  for (const auto& [name, resource] : resources_) {
    for (size_t i = 0; i < resource.leftovers.size(); ++i) {
      nodes.push_back(cat(name, "#", i));
      resource_of[nodes.back()] = name;
    }
    // What was removed or left alone before a crash is not to be looked at once more: nobody would leave it alone again.
    if (resource.gone || (!resource.undone && wanted.contains(name))) continue;
    nodes.push_back(name);
    resource_of[name] = name;
  }
  auto order = removal_order(resources_, nodes, resource_of);
  const Ending ending =
      co_await walk(std::move(order), [this](std::string node) { return remove(std::move(node)); }, false);
  if (ending == Ending::superseded) throw Superseded();
  // What cannot be removed is left behind, and said by its event.
  co_await become(stack_.status == status::kCleaningUp ? status::kUpdated : status::kUndone, "",
                  [this](store::Transaction& txn, Stack& stack) -> Task<void> {
                    for (const auto& [name, resource] : resources_) {
                      if (resource.gone) erase_resource(txn, stack.id, resource);
                    }
                    forget_before(txn, stack);
                    co_await write_imports(txn, stack);
                  });
}

Task<void> Deployment::remove_all() {
  co_await settle();
  std::vector<std::string> nodes;
  std::map<std::string, std::string> resource_of;
  for (const auto& [name, resource] : resources_) {
    for (size_t i = 0; i < resource.leftovers.size(); ++i) {
      nodes.push_back(cat(name, "#", i));
      resource_of[nodes.back()] = name;
    }
    if (resource.gone) continue;
    nodes.push_back(name);
    resource_of[name] = name;
  }
  auto order = removal_order(resources_, nodes, resource_of);
  const Ending ending =
      co_await walk(std::move(order), [this](std::string node) { return remove(std::move(node)); }, false);
  if (ending == Ending::superseded) throw Superseded();
  const bool is_rollback = stack_.status == status::kRollingBack;
  if (ending == Ending::failed) {
    if (is_rollback) co_return co_await become(status::kRollbackFailed, failed_resources());
    co_return co_await become(status::kDeleteFailed, failed_resources(), bring_exports_back);
  }
  const Time now = clock_.now();
  if (is_rollback) {
    co_return co_await become(status::kRolledBack, "", [&](store::Transaction& txn, Stack& stack) -> Task<void> {
      stack.deleted = now;
      stack.importing.clear();
      stack.outputs.clear();
      co_await erase_unexecuted(txn, stack.id, now);
      co_await write_imports(txn, stack);
    });
  }
  co_await become(status::kDeleted, "", [&](store::Transaction& txn, Stack& stack) -> Task<void> {
    stack.deleted = now;
    co_await erase_exports(txn, stack);
    co_await write_imports(txn, stack);
    co_await erase_hierarchies(txn, stack.id, "", now);
    co_await forget_name(txn, stack, now);
  });
}

// What was being made when the engine ended, and is to go: only a step that is repeated tells what it had made.
Task<void> Deployment::settle() {
  stopping_ = true;  // it is not to wait for anything
  for (const auto& [name, resource] : Resources(resources_)) {
    const bool is_made_anew = resource.replacing && resource.status == "UPDATE_IN_PROGRESS" &&
                              resource.now.physical_id == resource.replaced_id;
    const bool is_made = resource.status == "CREATE_IN_PROGRESS" && resource.now.physical_id.empty();
    if (!is_made && !is_made_anew) continue;
    const json::Object shown =
        is_made_anew ? resource.attempted_shown.value_or(*resource.attempted) : resource.now.visible();
    (void)co_await make(resource, shown, true);
  }
  failed_creates_.clear();
  failed_updates_.clear();
  stopping_ = false;
}

}  // namespace tidemill::cloudformation

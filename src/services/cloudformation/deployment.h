// One stack while the engine works on it: its resources made, changed, removed and brought back along the graph of its
// template. All that is decided stands in the store before it is done, one transaction for each change of a resource with
// its event; so whoever has the stack's timer goes on where this ended, also after a crash:
//
//   status of the stack                          what is done                        and then
//   CREATE_IN_PROGRESS, UPDATE_IN_PROGRESS       deploy(): the target's resources    …COMPLETE…, or a rollback
//   UPDATE_COMPLETE_CLEANUP_IN_PROGRESS          clean_up(): what is not wanted      UPDATE_COMPLETE; a nested stack that
//                                                its parent has told to change is at rest until the parent does so
//   IMPORT_IN_PROGRESS                           take_in_all(): nothing is made      IMPORT_COMPLETE, or
//   IMPORT_ROLLBACK_IN_PROGRESS                  undo_import(): it is let go        IMPORT_ROLLBACK_COMPLETE
//   ROLLBACK_IN_PROGRESS, DELETE_IN_PROGRESS     remove_all()                        …COMPLETE or …FAILED
//   UPDATE_ROLLBACK_IN_PROGRESS                  undo(): what was                    UPDATE_ROLLBACK_COMPLETE_CLEANUP…
//   UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS clean_up()                          UPDATE_ROLLBACK_COMPLETE
//
// A resource whose status says IN_PROGRESS when this begins has a try of unknown outcome behind it: its step is repeated
// with Step::may_repeat. Others change the stack's record (its status to DELETE_IN_PROGRESS, `cancelled`) and signal its
// topic; this sees it, lets nothing more begin, and goes on with what the record says then.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/blocking_work.h"
#include "engine/ownership.h"
#include "lang/templates/dynamic_reference.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/graph_walk.h"
#include "services/cloudformation/plan.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/resource_type.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/stack.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

inline constexpr size_t kStepsAtOnceMax = 50;  // of one stack

class Deployment {
 public:
  // All must outlive it. `timer` is the one by which the stack runs.
  Deployment(wire::Platform& platform, base::BlockingWork& template_work, std::shared_ptr<const engine::Tenure> tenure,
             const store::Timer& timer);
  Deployment(const Deployment&) = delete;

  // Until the stack is at rest.
  Task<void> run(StackId id);

 private:
  friend class LiveStep;

  // The stack's record says something else by now.
  struct Superseded {};
  enum class Ending { done, failed, superseded };

  // ---- deployment.cc: phases
  Task<bool> load(const StackId& id);
  Task<void> run_phase();
  Task<void> deploy();
  Task<void> undo();
  Task<void> clean_up();
  Task<void> let_nested_clean_up();
  Task<bool> let_one_clean_up(std::string name);
  Task<void> remove_all();
  Task<Ending> walk(std::vector<GraphWalk::Node> nodes, GraphWalk::Work work, bool stops_at_failures);
  Task<bool> may_go_on(bool stops_at_failures, const GraphWalk& walk);
  Task<void> settle();
  Task<void> has_failed(std::string reason);
  [[nodiscard]] std::string failed_resources() const;
  using Change = std::function<Task<void>(store::Transaction& txn, Stack& stack)>;
  // Changes the stack's record, with an event and whatever `change` adds. Throws Superseded.
  Task<void> become(std::string_view stack_status, std::string reason, Change change = nullptr);
  [[nodiscard]] std::set<std::string> names_of_plan() const;

  // ---- deployment_steps.cc, deployment_removal.cc: one resource; false: it failed, and its event says why
  // The properties of a resource of the plan: with references to secrets and parameters, and NoEcho parameters hidden
  // (shown), and without (checked).
  struct Properties {
    json::Object checked;
    json::Object shown;
    bool has_secrets = false;  // the two differ by more than forms
    std::vector<std::string> imports;

    [[nodiscard]] std::optional<json::Object> shown_apart() const {
      return has_secrets ? std::optional(shown) : std::nullopt;
    }
  };
  Task<bool> make_or_change(std::string name);
  // Whether the stack policy denies what the update is about to do with it; then it has failed.
  Task<bool> is_denied(const Resource& resource, std::string_view action, const json::Object& shown);
  Task<bool> are_removals_denied();
  // Whether the type lets the change begin; empty: it does.
  [[nodiscard]] std::string why_refused(const ResourceType& type, const Resource& resource,
                                        const json::Object& after) const;
  Task<bool> create(Resource resource, Properties properties);
  Task<bool> replace(Resource resource, Properties properties);
  Task<bool> change(Resource resource, Properties properties);
  Task<bool> make(Resource resource, json::Object shown, bool may_repeat);
  Task<bool> bring_back(std::string name);
  Task<void> take_back_members(std::string name);
  Task<bool> remove(std::string node);
  // `leftover`: the place among what is left over, or kWhole.
  static constexpr size_t kWhole = SIZE_MAX;
  Task<bool> remove_made(Resource resource, size_t leftover);
  Task<bool> skip(Resource resource, size_t leftover);
  Task<void> fail(std::string name, std::string reason, const json::Object& shown);
  Task<bool> fail_at_once(Resource resource, bool is_there, std::string problem, json::Object shown);
  void note_failure(const Resource& resource);
  Task<Properties> properties_of(std::string name);
  // What the template says of the resource beside its properties.
  Task<void> take_attributes(Resource& resource);
  // What `written` needs to be evaluated.
  Task<lang::templates::Known> known_for(json::Value written, std::string where);
  Task<json::Value> without_references(json::Value value);
  Task<json::Value> replace_references(json::Value value, std::vector<lang::templates::DynamicReference> references);
  [[nodiscard]] Resource planned(std::string_view name) const;
  // Writes the resource, and an event if there is one; then it is what resources_ has.
  struct Note {
    std::string physical_id;
    std::optional<json::Object> properties;
  };
  using Check = std::function<Task<void>(store::Transaction& txn)>;  // throws: it is not written
  Task<void> save(Resource resource, std::vector<std::pair<Resource, Note>> events, Check check = nullptr);
  // With one event.
  Task<void> tell(Resource resource, Note note);
  Task<void> made(std::string name, std::string id, json::Object shown);
  // Of an event that `txn` writes. Asked anew by each try of it: a stack's topics are told in the order of the times,
  // so no event may come behind one that is later.
  Task<Time> next_time(store::Transaction& txn);

  // ---- deployment_import.cc: what stands already
  Task<void> take_in_all();
  Task<bool> take_in(std::string name);
  Task<bool> begin_taking_in(Resource resource, Note note);
  Task<void> undo_import();
  Task<bool> let_go(Resource resource);

  // ---- deployment_end.cc: outputs and exports
  Task<void> complete();
  Task<std::vector<StackOutput>> outputs();
  Task<void> write_exports(store::Transaction& txn, const Stack& stack, const std::vector<StackOutput>& outputs);
  Task<void> write_imports(store::Transaction& txn, const Stack& stack);
  Task<void> check_imports();
  // Afterwards held_imports_ has them. Throws TemplateError for one that is not there.
  Task<void> hold_imports(std::set<std::string, std::less<>> names);

  wire::Platform& platform_;
  base::BlockingWork& template_work_;
  store::Store& store_;
  base::Clock& clock_;
  std::shared_ptr<const engine::Tenure> tenure_;
  const store::Timer& timer_;
  Stack stack_;
  Acting acting_;
  Resources resources_;
  std::unique_ptr<Plan> plan_;
  std::map<std::string, std::string, std::less<>> held_imports_;  // values, by the names of exports
  std::set<std::string, std::less<>> output_imports_;
  std::vector<std::string> failed_creates_;
  std::vector<std::string> failed_updates_;
  std::vector<std::string> failed_imports_;
  std::vector<std::string> failed_removals_;
  Time next_event_;  // is not before this
  bool stopping_ = false;  // steps that wait end
  std::set<const base::Signal*> waiting_;
  std::shared_ptr<std::atomic<bool>> news_;  // somebody has signalled the stack's topic
  base::Signal wake_;
};

}  // namespace tidemill::cloudformation

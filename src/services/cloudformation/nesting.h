// How nested stacks hang together with what is around them: the change sets of a hierarchy, and what a parent's step tells
// a nested stack to become.
//
//   Templates of nested stacks come from buckets, where they may have changed meanwhile. So what a change set has shown is
//   what it deploys: the nested stack's template is kept with its own change set, and the request by which the parent
//   executes it says nothing but a token, under which the nested stack finds it. Likewise a nested stack keeps the template
//   that it had before its parent began to change it, and goes back to that one if the parent does.
//
//   A nested stack that has become what its parent told it is held: it removes nothing of what it was until the parent has
//   succeeded too, so that all of it is there to go back to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/cloudformation/change_set.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/step.h"
#include "services/cloudformation/template_text.h"
#include "store/store.h"

namespace tidemill::cloudformation {

// ---- Change sets of a hierarchy -------------------------------------------------------------------------------------

// With those of nested stacks below it, and the nested stacks that were made to be reviewed and have no other.
Task<void> erase_hierarchy(store::Transaction& txn, ChangeSet set, Time now);
// The same of all change sets of the stack but the one with this UUID.
Task<void> erase_hierarchies(store::Transaction& txn, StackId stack, std::string except, Time now);
// The stack changes by other means: its change sets and those below cannot be executed any more.
Task<void> make_obsolete(store::Transaction& txn, StackId stack);
// Of those that the stack's executed change sets have: what the deployment did not come to.
Task<void> erase_unexecuted(store::Transaction& txn, StackId stack, Time now);

// A stack that was only looked at has nothing to remove.
Task<void> end_review(store::Transaction& txn, Stack stack, Time now);

// ---- Protection -----------------------------------------------------------------------------------------------------

// Whether TerminationProtection keeps it from being deleted: its own, or, of a nested stack, its root's, as long as each
// stack on the way is a part of the one around it. What a stack removes, has failed to remove or has left alone is none.
Task<bool> is_protected(store::Snapshot& reader, Stack stack);

// ---- Who goes with whom ---------------------------------------------------------------------------------------------

// Whether the deletion of `around` deletes `stack` too: it stands somewhere below, and nothing on the way is left
// alone.
Task<bool> goes_with(store::Snapshot& reader, const Stack& around, Stack stack);
// The outermost stack that goes back together with `stack`, which its parent has told to.
Task<Stack> outermost_going_back(store::Snapshot& reader, Stack stack);
// Whether `stack` goes back with `around`, to what it was or to not being there.
Task<bool> goes_back_with(store::Snapshot& reader, const Stack& around, Stack stack);
// Whether `around` stands around `stack` and is removing, and none of what it still has uses the export: it is noted as
// a user only until it has ended.
Task<bool> is_done_with(store::Snapshot& reader, const Stack& around, Stack stack, std::string export_name);

// ---- What a step tells a nested stack -------------------------------------------------------------------------------

struct PlannedChild {
  bool is_known = false;          // the stack of the step executes a change set that knows of nested stacks
  std::optional<ChangeSet> set;   // that of this nested stack; nothing: nothing of it was to change
};
Task<PlannedChild> planned_of_child(Step& step);

// Before the request with this token goes to the nested stack: it finds there what it is to become. Nothing to be found
// where it is to take what the request says. `planned`: may be null.
Task<void> order_child(Step& step, StackId child, const ChangeSet* planned, std::string token);

// What the request with this token is to deploy instead of what it says, if anything.
Task<std::optional<TemplateText>> ordered_template(store::Snapshot& reader, Stack stack, std::optional<std::string> token);
// The operation that was ordered begins, and imports what this returns; `stack` is to be put by its caller. Any other
// operation ends what was ordered.
Task<base::json::TextMap> take_order(store::Transaction& txn, Stack& stack, std::optional<std::string> token);

// Whether the request with this token is the parent's, to a stack that is held.
[[nodiscard]] bool is_ordered_again(const Stack& stack, const std::optional<std::string>& token);

// In the transaction that ends an update, before the stack has new settings, outputs and its template: whether it is to be
// held.
Task<void> hold_if_ordered(store::Transaction& txn, Stack& stack);
// Nothing is to be gone back to any more.
void forget_before(store::Transaction& txn, Stack& stack);
// A stack that is held, or that has failed since and was kept so, goes back to what it was. False: this one is neither.
Task<bool> take_back(Step& step, StackId child);
// Whether it has gone back so already, by this step before a crash or by an earlier try of the rollback.
Task<bool> was_taken_back(Step& step, StackId child);
// The rollback of a stack that has failed goes on, with what the parent's user has said to skip of it and below. False: it
// has none.
Task<bool> resume_rollback(Step& step, StackId child);
// A stack that is held goes on and cleans up. Whether that is what it does now.
Task<bool> let_clean_up(store::Transaction& txn, std::string arn, Time now);

// How the child has ended; it may be held. Throws StepFailed if it is not there.
Task<Stack> await_child(Step& step, std::string arn);

}  // namespace tidemill::cloudformation

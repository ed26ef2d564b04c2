// How operations on stacks begin: shared by those that say all at once and by change sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/cloudformation/asked.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/template_text.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

[[nodiscard]] inline Place place_of(const wire::Context& context) { return {context.account, context.region}; }

// Throw ValidationError: "Stack with id X does not exist", "Stack [X] does not exist", "Stack 'X' does not exist".
Task<Stack> require_stack(store::Snapshot& reader, const wire::Context& context, std::string name_or_id);
Task<Stack> require_stack_in_brackets(store::Snapshot& reader, const wire::Context& context, std::string name_or_id);
Task<Stack> require_stack_in_quotes(store::Snapshot& reader, const wire::Context& context, std::string name_or_id);

// Throws ValidationError "Stack:ARN is in X state and can not be updated." unless it may be changed now.
void require_updatable(const Stack& stack);

// The same for a stack that another operation has changed since `before` was looked at: it came in between.
void require_unchanged(const Stack& stack, const Stack& before);

// A stack that is not there yet. Throws LimitExceededException beyond kStacksMax.
Task<Stack> new_stack(store::Transaction& txn, const wire::Context& context, std::string name, std::string uuid);

// All: with the template, the event, and the timer by which the engine goes on. `stack` is to be put by them.
// `importing`: Stack::importing.
Task<void> begin_creation(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                          const TemplateText& text, base::json::TextMap importing = {});
struct UpdatePolicies {
  std::string of_update;  // Stack::policy_of_update; empty: the stack's own counts
  std::string to_be;      // Stack::policy_to_be
};
Task<void> begin_update(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                        const TemplateText& text, UpdatePolicies policies = {}, base::json::TextMap importing = {});
Task<void> begin_import(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                        const TemplateText& text, base::json::TextMap importing);
// Puts the stack with its new status, and its event.
Task<void> put_status(store::Transaction& txn, const wire::Context& context, Stack& stack,
                      std::string_view stack_status, std::string reason);
// The same, and the engine goes to work if it is a status that runs.
Task<void> announce(store::Transaction& txn, const wire::Context& context, Stack& stack, std::string_view stack_status,
                    std::string reason);

// The role that the stack acts as from now on, if one is given.
void give_role(Stack& stack, const std::optional<std::string>& role);

// On whose behalf the steps of what begins are made.
void note_caller(Stack& stack, const wire::Context& context);

// Whether the two deploy the same.
Task<bool> is_same(base::BlockingWork& work, const TemplateText& before, const Settings& settings_before,
                   const TemplateText& after, const Settings& settings_after);

}  // namespace tidemill::cloudformation

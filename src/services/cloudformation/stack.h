// A stack as it is stored. What an operation on it is to bring about is `target`, what stands is `current`; the templates
// of both are kept beside it (template_text.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_members.h"
#include "engine/caller.h"
#include "lang/templates/parameters.h"
#include "services/cloudformation/keys.h"
#include "store/store.h"

namespace tidemill::cloudformation {

using base::Time;

inline constexpr size_t kStacksMax = 2'000;  // of an account's region, as on AWS
inline constexpr std::chrono::hours kDeletedStacksKept{24 * 90};
inline constexpr int kNestingMax = 16;  // stacks in stacks: a template that names itself ends here

// Statuses of stacks and of resources are text, as everybody sees them.
namespace status {
inline constexpr std::string_view kReview = "REVIEW_IN_PROGRESS";
inline constexpr std::string_view kCreating = "CREATE_IN_PROGRESS";
inline constexpr std::string_view kCreated = "CREATE_COMPLETE";
inline constexpr std::string_view kCreateFailed = "CREATE_FAILED";
inline constexpr std::string_view kRollingBack = "ROLLBACK_IN_PROGRESS";
inline constexpr std::string_view kRolledBack = "ROLLBACK_COMPLETE";
inline constexpr std::string_view kRollbackFailed = "ROLLBACK_FAILED";
inline constexpr std::string_view kUpdating = "UPDATE_IN_PROGRESS";
inline constexpr std::string_view kCleaningUp = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS";
inline constexpr std::string_view kUpdated = "UPDATE_COMPLETE";
inline constexpr std::string_view kUpdateFailed = "UPDATE_FAILED";
inline constexpr std::string_view kUndoing = "UPDATE_ROLLBACK_IN_PROGRESS";
inline constexpr std::string_view kUndoneCleaningUp = "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS";
inline constexpr std::string_view kUndone = "UPDATE_ROLLBACK_COMPLETE";
inline constexpr std::string_view kUndoFailed = "UPDATE_ROLLBACK_FAILED";
inline constexpr std::string_view kImporting = "IMPORT_IN_PROGRESS";
inline constexpr std::string_view kImported = "IMPORT_COMPLETE";
inline constexpr std::string_view kImportFailed = "IMPORT_FAILED";  // of a resource
inline constexpr std::string_view kImportUndoing = "IMPORT_ROLLBACK_IN_PROGRESS";
inline constexpr std::string_view kImportUndone = "IMPORT_ROLLBACK_COMPLETE";
inline constexpr std::string_view kDeleting = "DELETE_IN_PROGRESS";
inline constexpr std::string_view kDeleted = "DELETE_COMPLETE";
inline constexpr std::string_view kDeleteFailed = "DELETE_FAILED";
inline constexpr std::string_view kDeleteSkipped = "DELETE_SKIPPED";

// Whether something of it goes on. A stack under review waits for its change set.
[[nodiscard]] bool is_running(std::string_view stack_status);
}  // namespace status

struct StackId {
  Place place;
  std::string name;
  std::string uuid;

  [[nodiscard]] std::string arn() const;
};
// Nothing: no ARN of a stack.
[[nodiscard]] std::optional<StackId> parse_stack_arn(std::string_view text);

struct StackParameter {
  std::string key;
  std::string value;                    // as given; of a stored parameter, its name
  std::optional<std::string> resolved;  // of a stored parameter
  bool no_echo = false;
};

// What was asked for beside the template.
struct Settings {
  std::string description;
  std::vector<StackParameter> parameters;
  base::json::TextMap tags;
  std::vector<std::string> capabilities;
  std::vector<std::string> notification_arns;
  std::string role;  // ARN; empty: on behalf of who asked

  [[nodiscard]] lang::templates::ParameterValues values() const;
};

struct StackOutput {
  std::string key;
  std::string value;
  std::string description;
  std::string export_name;  // empty: not exported
};

// What a stack was, beside its template and its resources.
struct Former {
  std::optional<Settings> settings;
  std::vector<StackOutput> outputs;
  std::vector<std::string> imports;
};

// What a nested stack keeps for its parent, which may take back what it has told it to become (nesting.h).
struct Nesting {
  int64_t parents_operation = 0;  // the parent's that began the changes; before these its template was kBeforeTemplate
  int64_t own_operation = 0;      // the first of its own since then
  std::string ordered;            // the token of the last request by which the parent changes it
  bool obeys = false;             // the operation that runs or ran last is the one of that request
  bool holds = false;             // it has become what that said, and cleans up when the parent does
  std::optional<Former> before;   // what it was before the first that held; its template then is kHeldTemplate
  std::string return_token;       // by the operation with this token it goes back
  int64_t returning_to = 0;       // the operation that runs takes back all since this one of its own; 0: it is none such
};

struct Stack {
  StackId id;
  std::string status;
  std::string reason;
  Time created;
  std::optional<Time> updated;
  std::optional<Time> deleted;
  // Counts the changes, rollbacks and removals of it: names and tokens of its steps have it in them.
  int64_t operation = 0;
  int64_t since = 0;  // the first operation behind the last state that was whole: what a rollback takes back begins there
  std::optional<Settings> current;
  std::optional<Settings> target;
  std::vector<StackOutput> outputs;
  bool disable_rollback = false;
  std::string on_failure;  // DO_NOTHING, ROLLBACK, DELETE; empty: not said
  bool retain_except_on_create = false;
  bool termination_protection = false;
  bool cancelled = false;  // the update that runs is to be rolled back
  int64_t timeout_minutes = 0;  // 0: none
  std::optional<Time> deadline;  // of the creation that runs
  std::string change_set;  // ARN of the last that was executed or made
  std::string token;       // ClientRequestToken of the operation that runs
  std::vector<std::string> used_tokens;  // "UpdateStack TOKEN", oldest first (tokens.h)
  std::string parent;      // ARN, of a nested stack
  std::string root;
  std::optional<Nesting> nesting;
  std::vector<std::string> imports;   // the exports that its outputs use
  base::json::TextMap importing;      // physical ids of what the operation that runs takes in, by their logical ids
  std::vector<std::string> retained;  // what DeleteStack and ContinueUpdateRollback are to leave alone
  std::string policy;      // the stack policy's text
  std::string policy_of_update;  // what counts instead of it in the update that runs
  std::string policy_to_be;      // what becomes it if the update that runs succeeds
  engine::Caller caller;         // on whose behalf
  std::string endpoint;    // where its custom resources reach this server

  [[nodiscard]] const Place& place() const { return id.place; }
  [[nodiscard]] std::string key() const { return stack_key(id.place, id.uuid); }
  // What it shows.
  [[nodiscard]] const Settings& settings() const;
  // Whether the operation that runs takes back what its parent had told it.
  [[nodiscard]] bool is_returning() const { return nesting && nesting->returning_to > 0; }
  // The first operation that is taken back: by the one that runs, or by a rollback of it.
  [[nodiscard]] int64_t taken_back_from() const { return is_returning() ? nesting->returning_to : since; }
};

// Whether it has become what its parent told it, and keeps what that took from it: until the parent cleans up, or has this
// one go back to what it was.
[[nodiscard]] bool is_held(const Stack& stack);
// Whether the engine works on it.
[[nodiscard]] bool is_at_work(const Stack& stack);
// Whether nothing of the operation before is left half-done, so that what stands can be compared with what is asked for.
[[nodiscard]] bool is_whole(const Stack& stack);

[[nodiscard]] std::string encode_stack(const Stack& stack);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Stack decode_stack(std::string_view bytes);
inline constexpr auto kParameterMembers = [](auto& member, auto& parameter) {
  member("key", parameter.key);
  member("value", parameter.value);
  member("resolved", parameter.resolved);
  member.unless_empty("no_echo", parameter.no_echo);
};
inline constexpr auto kSettingsMembers = [](auto& member, auto& settings) {
  member.list("parameters", "stack's parameter", settings.parameters, kParameterMembers);
  member("tags", settings.tags);
  member.unless_empty("description", settings.description);
  member.unless_empty("capabilities", settings.capabilities);
  member.unless_empty("notification_arns", settings.notification_arns);
  member.unless_empty("role", settings.role);
};

inline void put_stack(store::Transaction& txn, const Stack& stack) { txn.put(stack.key(), encode_stack(stack)); }

Task<std::optional<Stack>> load_stack(store::Snapshot& reader, const Place& place, std::string_view uuid);
// By its name, or by its whole ARN, which finds deleted ones too.
Task<std::optional<Stack>> find_stack(store::Snapshot& reader, const Place& place, std::string_view name_or_id);

}  // namespace tidemill::cloudformation

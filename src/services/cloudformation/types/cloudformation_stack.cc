// AWS::CloudFormation::Stack: a stack of its own, whose end its parent waits for.
#include "base/text.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/types/types.h"
#include "wire/error.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kChildNameMax = 128;
constexpr std::string_view kTold = "Told";  // what a step remembers: the token of the child's update
constexpr size_t kEventsOfChildMax = 5'000;  // that are looked through for why it was taken back

constexpr Property kChildProperties[] = {
    {.name = "TemplateURL", .required = true},
    {.name = "Parameters", .form = Form::map},
    {.name = "NotificationARNs", .form = Form::list},
    {.name = "TimeoutInMinutes", .kind = Kind::integer},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

json::Object child_request(const Step& step, const json::Object& properties) {
  json::Object request;
  copy_member(request, properties, "TemplateURL");
  copy_member(request, properties, "NotificationARNs");
  json::Array parameters, capabilities;
  if (const json::Value* given = properties.find("Parameters")) {
    for (const auto& [key, value] : given->object()) {
      parameters.push_back(json::Object{{"ParameterKey", key}, {"ParameterValue", value}});
    }
  }
  request.set("Parameters", std::move(parameters));
  for (const std::string& one : step.scope().capabilities) capabilities.push_back(one);
  request.set("Capabilities", std::move(capabilities));
  if (!step.scope().role.empty()) request.set("RoleARN", step.scope().role);
  if (json::Array tags = tag_list(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  return request;
}

// The child is a part of this stack from its first moment on: what makes it takes the note with it.
Task<std::string> begin_child(Step& step, json::Object request) {
  const std::string key = adoption_key({step.account(), step.region()}, request.find("StackName")->string());
  store::Store& store = step.context().store();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    txn.put(key, step.scope().stack_id);
    co_return;
  });
  std::exception_ptr refused;
  try {
    const json::Value answer = co_await step.call("cloudformation", "CreateStack", std::move(request));
    co_return answer.find("StackId")->string();
  } catch (const wire::Error&) {
    refused = std::current_exception();
  }
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    txn.erase(key);
    co_return;
  });
  std::rethrow_exception(refused);
}

// The child stands already, to be reviewed, and is a part of this stack.
Task<std::string> begin_reviewed(Step& step, ChangeSet planned, json::Object request) {
  const std::string token = step.client_token("child");
  co_await order_child(step, planned.stack, &planned, token);
  request.set("ClientRequestToken", token);
  const json::Value answer = co_await step.call("cloudformation", "CreateStack", std::move(request));
  co_return answer.find("StackId")->string();
}

// How many stacks stand around it.
Task<int> depth_of(Step& step, std::string arn) {
  const auto snapshot = step.context().store().snapshot();
  int depth = 0;
  for (; !arn.empty() && depth <= kNestingMax; ++depth) {
    const auto id = parse_stack_arn(arn);
    const auto stack = id ? co_await load_stack(*snapshot, id->place, id->uuid) : std::nullopt;
    if (!stack) break;
    arn = stack->parent;
  }
  co_return depth;
}

// Why it was taken back, where that is over: what its last rollback began with.
Task<std::string> reason_of_child(Step& step, Stack child) {
  if (!child.reason.empty()) co_return child.reason;
  std::string reason;
  const auto snapshot = step.context().store().snapshot();
  co_await snapshot->scan(events_range(child.place(), child.id.uuid), store::last(kEventsOfChildMax),
                          [&](std::string_view, std::string_view bytes) {
                            const Event event = decode_event(bytes);
                            const bool begins = event.type == kStackType && event.physical_id == child.id.arn() &&
                                                event.status.ends_with("ROLLBACK_IN_PROGRESS");
                            if (begins) reason = event.reason;
                            return !begins;
                          });
  co_return reason;
}

Task<void> refuse_child(Step& step, Stack child, std::string_view what) {
  throw StepFailed(cat("Embedded stack ", child.id.arn(), " was not successfully ", what, ": ",
                       co_await reason_of_child(step, child)));
}

Task<std::string> create_child(Step& step, const json::Object& properties) {
  if (co_await depth_of(step, step.scope().stack_id) > kNestingMax) {
    throw InvalidRequest(cat("Stacks may be nested at most ", kNestingMax, " deep"));
  }
  json::Object request = child_request(step, properties);
  const std::optional<ChangeSet> planned = (co_await planned_of_child(step)).set;
  const std::string name = planned ? planned->stack.name : step.physical_name(kChildNameMax);
  request.set("StackName", name);
  request.set("OnFailure", "ROLLBACK");
  copy_member(request, properties, "TimeoutInMinutes");
  const Place place{step.account(), step.region()};
  std::string arn;
  if (step.may_repeat()) {
    const auto snapshot = step.context().store().snapshot();
    const auto found = co_await find_stack(*snapshot, place, name);
    if (found && found->status != status::kReview) arn = found->id.arn();
  }
  if (arn.empty() && planned) arn = co_await begin_reviewed(step, *planned, request);
  if (arn.empty()) arn = co_await begin_child(step, std::move(request));
  co_await step.made(arn);
  const Stack child = co_await await_child(step, arn);
  if (child.status != status::kCreated) co_await refuse_child(step, child, "created");
  co_return arn;
}

// Waits as await_child; if the parent gives up, the child's update is taken back.
Task<Stack> await_child_update(Step& step, std::string arn) {
  std::exception_ptr cancelled;
  try {
    co_return co_await await_child(step, arn);
  } catch (const Cancelled&) {
    cancelled = std::current_exception();
  }
  // It may have ended just now.
  (void)co_await step.call_or_null("cloudformation", "CancelUpdateStack", json::Object{{"StackName", arn}},
                                   {"ValidationError"});
  std::rethrow_exception(cancelled);
}

// The same in every try of this step: a child that was told twice would take what it has become by the first time for what
// it was, and its own children would go back to no more than that.
Task<std::string> token_of_update(Step& step, StackId id) {
  const json::Value memory = step.memory();
  if (const json::Value* told = memory.find(kTold)) co_return told->string();
  int64_t operations = 0;
  {
    const auto snapshot = step.context().store().snapshot();
    const auto child = co_await load_stack(*snapshot, id.place, id.uuid);
    if (child) operations = child->operation;
  }
  // A rollback that is continued tells it once more.
  std::string token = step.client_token(cat("child ", operations));
  co_await step.remember(json::Object{{std::string(kTold), token}});
  co_return token;
}

// Whether the parent keeps what its failures leave, and may use what the child has become by an earlier update: a failure of
// the next must not take the child back behind that one.
Task<bool> is_kept_with_failures(Step& step, StackId child) {
  const auto snapshot = step.context().store().snapshot();
  const auto parent = parse_stack_arn(step.scope().stack_id);
  const auto around = co_await load_stack(*snapshot, parent->place, parent->uuid);
  const auto stack = co_await load_stack(*snapshot, child.place, child.uuid);
  co_return around && around->disable_rollback && stack && stack->nesting && stack->nesting->before;
}

// False: there is nothing to be changed.
Task<bool> begin_child_update(Step& step, std::string arn, const PlannedChild& planned, const json::Object& after) {
  const StackId id = *parse_stack_arn(arn);
  const std::string token = co_await token_of_update(step, id);
  co_await order_child(step, id, planned.set ? &*planned.set : nullptr, token);
  json::Object request = child_request(step, after);
  request.set("StackName", arn);
  request.set("ClientRequestToken", token);
  if (co_await is_kept_with_failures(step, id)) request.set("DisableRollback", true);
  try {
    (void)co_await step.call("cloudformation", "UpdateStack", std::move(request));
  } catch (const wire::Error& error) {
    if (error.message != "No updates are to be performed.") throw;
    co_return false;
  }
  co_return true;
}

Task<std::string> update_child(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  // What a cancelled update or one before a crash has begun ends first.
  (void)co_await await_child(step, arn);
  if (step.scope().brings_back && co_await resume_rollback(step, *parse_stack_arn(arn))) {
    const Stack child = co_await await_child(step, arn);
    if (child.status != status::kUndone) co_await refuse_child(step, child, "updated");
  }
  if (step.scope().brings_back && co_await was_taken_back(step, *parse_stack_arn(arn))) co_return arn;
  if (step.scope().brings_back && co_await take_back(step, *parse_stack_arn(arn))) {
    const Stack child = co_await await_child(step, arn);
    if (child.status != status::kUndone) co_await refuse_child(step, child, "updated");
    co_return arn;
  }
  const PlannedChild planned = co_await planned_of_child(step);
  if (planned.is_known && !planned.set && changed_properties(before, after).empty()) co_return arn;
  const bool is_begun = planned.set && planned.set->operation != 0;  // by a try before this one
  const bool is_same = !is_begun && !co_await begin_child_update(step, arn, planned, after);
  const Stack child = co_await await_child_update(step, arn);
  const bool is_as_told = is_held(child) || child.status == status::kUpdated || child.status == status::kCreated;
  if (!is_as_told && !(is_same && child.status == status::kUndone)) {
    co_await refuse_child(step, child, "updated");
  }
  co_return arn;
}

Task<std::optional<Stack>> load_child(Step& step, std::string arn) {
  const auto id = parse_stack_arn(arn);
  const auto snapshot = step.context().store().snapshot();
  co_return co_await load_stack(*snapshot, id->place, id->uuid);
}

Task<void> remove_child(Step& step, std::string arn, const json::Object&) {
  const auto before = co_await load_child(step, arn);
  const bool is_changing = before && is_at_work(*before) && before->status != status::kCreating;
  if (is_changing) (void)co_await await_child(step, arn);  // an update that was cancelled is still being taken back
  co_await step.call("cloudformation", "DeleteStack", json::Object{{"StackName", arn}});
  if (!co_await load_child(step, arn)) co_return;  // forgotten by now
  const Stack child = co_await await_child(step, arn);
  if (child.status != status::kDeleted) co_await refuse_child(step, child, "deleted");
}

Task<json::Object> describe_child(Step& step, std::string arn, const json::Object&) {
  const auto id = parse_stack_arn(arn);
  const auto snapshot = step.context().store().snapshot();
  const auto stack = co_await load_stack(*snapshot, id->place, id->uuid);
  json::Object result;
  if (!stack) co_return result;
  for (const StackOutput& output : stack->outputs) result.set(cat("Outputs.", output.key), output.value);
  co_return result;
}

}  // namespace

const ResourceType types::kCloudFormationStack = {
    .name = "AWS::CloudFormation::Stack",
    .properties = kChildProperties,
    .create = create_child,
    .update = update_child,
    .remove = remove_child,
    .attributes = describe_child,
};

}  // namespace tidemill::cloudformation

#include "services/cloudformation/live_step.h"

#include "base/uuid.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/patience.h"
#include "services/cloudformation/stack_outputs.h"

namespace tidemill::cloudformation {

namespace {

StepScope scope_of(const Stack& stack, const Resource& resource, bool may_repeat,
                   const base::json::TextMap* brought_back = nullptr) {
  StepScope scope;
  scope.account = stack.place().account;
  scope.region = stack.place().region;
  scope.stack_id = stack.id.arn();
  scope.stack_name = stack.id.name;
  scope.logical_id = resource.logical_id;
  scope.type = resource.type;
  scope.operation = resource.operation;
  scope.tags = brought_back ? *brought_back : stack.settings().tags;
  scope.previous_tags = resource.now.tags;
  scope.attributes = resource.now.attributes;
  scope.creation_policy = resource.creation_policy;
  // The change that failed may have put its own.
  if (brought_back) scope.previous_tags.insert(stack.settings().tags.begin(), stack.settings().tags.end());
  scope.capabilities = stack.settings().capabilities;
  scope.role = stack.settings().role;
  scope.may_repeat = may_repeat;
  scope.brings_back = brought_back || stack.is_returning();
  scope.since = stack.taken_back_from();
  return scope;
}

}  // namespace

LiveStep::LiveStep(Deployment& deployment, const Resource& resource, json::Object shown, bool may_repeat)
    : Step(scope_of(deployment.stack_, resource, may_repeat)),
      deployment_(deployment),
      shown_(std::move(shown)),
      context_(deployment.platform_, account(), region(), base::new_uuid(), wire::Principal()) {
  context_.endpoint = deployment.stack_.endpoint;
}

LiveStep::LiveStep(Deployment& deployment, const Resource& resource, json::Object shown, bool may_repeat,
                   base::json::TextMap tags)
    : Step(scope_of(deployment.stack_, resource, may_repeat, &tags)),
      deployment_(deployment),
      shown_(std::move(shown)),
      context_(deployment.platform_, account(), region(), base::new_uuid(), wire::Principal()) {
  context_.endpoint = deployment.stack_.endpoint;
}

LiveStep::LiveStep(Deployment& deployment) : LiveStep(deployment, Resource(), {}, false) {}

Task<json::Value> LiveStep::call(std::string service, std::string operation, json::Value document) {
  context_.principal = co_await deployment_.acting_.principal(deployment_.platform_, deployment_.stack_);
  co_return co_await call_patiently(context_, std::move(service), std::move(operation), std::move(document),
                                    [this](base::Time until) { return rest(base::Signal(), until); });
}

Task<std::optional<std::string>> LiveStep::output_of(lang::templates::OutputOfStack name) {
  try {
    context_.principal = co_await deployment_.acting_.principal(deployment_.platform_, deployment_.stack_);
  } catch (const StepFailed& error) {
    throw lang::templates::TemplateError(error.what());
  }
  co_return co_await output_of_stack(context_, std::move(name));
}

Task<void> LiveStep::made(std::string id) { return deployment_.made(scope().logical_id, std::move(id), shown_); }

json::Value LiveStep::memory() const { return kept(&Resource::memory); }
Task<void> LiveStep::remember(json::Value value) { return keep(&Resource::memory, std::move(value)); }
json::Value LiveStep::noted() const { return kept(&Resource::noted); }
Task<void> LiveStep::note(json::Value value) { return keep(&Resource::noted, std::move(value)); }

json::Value LiveStep::kept(json::Value Resource::*member) const {
  const auto found = deployment_.resources_.find(scope().logical_id);
  return found == deployment_.resources_.end() ? json::Value() : found->second.*member;
}

Task<void> LiveStep::keep(json::Value Resource::*member, json::Value value) {
  Resource resource = deployment_.resources_.find(scope().logical_id)->second;
  resource.*member = std::move(value);
  return deployment_.save(std::move(resource), {});
}

Task<void> LiveStep::rest(base::Signal signal, base::Time until) {
  if (deployment_.stopping_) throw Cancelled();
  struct Entry {
    std::set<const base::Signal*>& all;
    const base::Signal& one;
    Entry(std::set<const base::Signal*>& set, const base::Signal& own) : all(set), one(own) { all.insert(&one); }
    ~Entry() { all.erase(&one); }
  };
  {
    const Entry entry(deployment_.waiting_, signal);
    (void)co_await deployment_.clock_.wait(signal, until);
  }
  if (deployment_.stopping_) throw Cancelled();
}

Task<bool> LiveStep::wait_until(std::function<Task<bool>()> done, base::Duration most) {
  return wait_patiently(context_, std::move(done), most,
                        [this](base::Time until) { return rest(base::Signal(), until); });
}

Task<bool> LiveStep::wait_for_topic(std::string topic, std::function<Task<bool>()> done, base::Duration most) {
  const base::Time deadline = context_.now() + most;
  const base::Signal signal;
  const auto subscription = context_.store().subscribe(topic, [signal] { signal.signal(); });
  for (;;) {
    if (co_await done()) co_return true;
    if (context_.now() >= deadline) co_return false;
    co_await rest(signal, deadline);
  }
}

}  // namespace tidemill::cloudformation

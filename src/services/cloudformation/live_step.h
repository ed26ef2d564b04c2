// A step of a deployment that runs.
#pragma once

#include <optional>
#include <string>

#include "lang/templates/scope.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

class Deployment;
struct Resource;

class LiveStep final : public Step {
 public:
  // `deployment` outlives it; it has a resource of this name. `shown`: its properties, as events have them.
  LiveStep(Deployment& deployment, const Resource& resource, json::Object shown, bool may_repeat);
  // For a change that is taken back, whose tags are those of before: `tags`.
  LiveStep(Deployment& deployment, const Resource& resource, json::Object shown, bool may_repeat,
           base::json::TextMap tags);
  // For what belongs to the stack as a whole: values that templates refer to.
  explicit LiveStep(Deployment& deployment);

  Task<json::Value> call(std::string service, std::string operation, json::Value document) override;
  // Of another stack, which is asked on behalf of this one. Throws TemplateError.
  Task<std::optional<std::string>> output_of(lang::templates::OutputOfStack name);
  Task<void> made(std::string id) override;
  [[nodiscard]] json::Value memory() const override;
  Task<void> remember(json::Value value) override;
  [[nodiscard]] json::Value noted() const override;
  Task<void> note(json::Value value) override;
  Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration most) override;
  Task<bool> wait_for_topic(std::string topic, std::function<Task<bool>()> done, base::Duration most) override;
  [[nodiscard]] wire::Context& context() override { return context_; }

 private:
  // In the resource's record.
  [[nodiscard]] json::Value kept(json::Value Resource::*member) const;
  Task<void> keep(json::Value Resource::*member, json::Value value);
  // Until `until`, or the deployment stops: then it throws Cancelled.
  Task<void> rest(base::Signal signal, base::Time until);

  Deployment& deployment_;
  json::Object shown_;
  wire::Context context_;
};

}  // namespace tidemill::cloudformation

#include "services/cloudformation/types/elsewhere.h"

#include <utility>

namespace tidemill::cloudformation {

namespace {

StepScope moved_to(StepScope scope, std::string region) {
  scope.region = std::move(region);
  return scope;
}

// While this lives the context is of that region. A step is used by one coroutine at a time.
class InRegion {
 public:
  InRegion(wire::Context& context, const std::string& region)
      : context_(context), own_(std::exchange(context.region, region)) {}
  ~InRegion() { context_.region = std::move(own_); }
  InRegion(const InRegion&) = delete;

 private:
  wire::Context& context_;
  std::string own_;
};

}  // namespace

Elsewhere::Elsewhere(Step& step, std::string region) : Step(moved_to(step.scope(), std::move(region))), step_(step) {}

Task<json::Value> Elsewhere::call(std::string service, std::string operation, json::Value document) {
  const InRegion there(step_.context(), region());
  co_return co_await step_.call(std::move(service), std::move(operation), std::move(document));
}

}  // namespace tidemill::cloudformation

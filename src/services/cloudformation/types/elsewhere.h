// The same step in another region: for resources that stand in several. All but where its calls go, and the ARNs that it
// makes, is the step's own.
#pragma once

#include <string>

#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

class Elsewhere final : public Step {
 public:
  // `step` outlives it.
  Elsewhere(Step& step, std::string region);

  Task<json::Value> call(std::string service, std::string operation, json::Value document) override;
  Task<void> made(std::string id) override { return step_.made(std::move(id)); }
  [[nodiscard]] json::Value memory() const override { return step_.memory(); }
  Task<void> remember(json::Value value) override { return step_.remember(std::move(value)); }
  [[nodiscard]] json::Value noted() const override { return step_.noted(); }
  Task<void> note(json::Value value) override { return step_.note(std::move(value)); }
  Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration most) override {
    return step_.wait_until(std::move(done), most);
  }
  Task<bool> wait_for_topic(std::string topic, std::function<Task<bool>()> done, base::Duration most) override {
    return step_.wait_for_topic(std::move(topic), std::move(done), most);
  }
  [[nodiscard]] wire::Context& context() override { return step_.context(); }

 private:
  Step& step_;
};

}  // namespace tidemill::cloudformation

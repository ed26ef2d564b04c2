#include "services/cloudformation/types/lambda_concurrency.h"

#include "services/cloudformation/types/documents.h"

namespace tidemill::cloudformation {

namespace {

// Each process takes what its function's start takes.
constexpr std::chrono::minutes kConcurrencySettlesMax{30};

Task<bool> concurrency_stands(Step& step, json::Object qualified) {
  const json::Value found = co_await step.call("lambda", "GetProvisionedConcurrencyConfig", std::move(qualified));
  const std::string status = text_of(found.object(), "Status");
  if (status == "FAILED") {
    throw InvalidRequest(text_or(found.object(), "StatusReason", "Provisioned concurrency could not be had."));
  }
  co_return status == "READY";
}

}  // namespace

Task<void> set_provisioned_concurrency(Step& step, std::string function, std::string qualifier,
                                       const json::Object& before, const json::Object& after) {
  if (same_member(before, after, "ProvisionedConcurrencyConfig")) co_return;
  const json::Object qualified{{"FunctionName", function}, {"Qualifier", qualifier}};
  const json::Object wanted = object_of(after, "ProvisionedConcurrencyConfig");
  if (wanted.empty()) {
    co_await step.call_or_null("lambda", "DeleteProvisionedConcurrencyConfig", qualified,
                               {"ResourceNotFoundException", "ProvisionedConcurrencyConfigNotFoundException"});
    co_return;
  }
  json::Object request = qualified;
  copy_member(request, wanted, "ProvisionedConcurrentExecutions");
  co_await step.call("lambda", "PutProvisionedConcurrencyConfig", std::move(request));
  if (!co_await step.wait_until([&] { return concurrency_stands(step, qualified); }, kConcurrencySettlesMax)) {
    throw InvalidRequest("Provisioned concurrency was not ready in time.");
  }
}

}  // namespace tidemill::cloudformation

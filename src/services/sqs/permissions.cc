// AddPermission and RemovePermission: statements of the queue's policy. The policy is kept and shown; nobody's access
// is decided by it, since every account sees only its own queues.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/policies/policy_statements.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {
namespace {

using base::cat;

constexpr std::string_view kPolicy = "Policy";
constexpr size_t kActionsMax = 7;
constexpr std::array<std::string_view, 7> kActions{
    "*",          "SendMessage", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility", "GetQueueAttributes",
    "GetQueueUrl"};

lang::PolicyStatements policy_of(const Queue& queue) {
  const auto found = queue.attributes.find(std::string(kPolicy));
  return {found != queue.attributes.end() ? found->second : "",
          {{"Version", "2008-10-17"}, {"Id", cat(queue.address.arn(), "/SQSDefaultPolicy")}}};
}

json::Value make_statement(const Queue& queue, const shapes::AddPermissionInput& request) {
  std::vector<std::string> actions;
  for (const std::string& action : *request.actions) actions.push_back(cat("SQS:", action));
  return lang::allow_accounts(*request.label, *request.aws_account_ids, actions, queue.address.arn());
}

void check_request(const shapes::AddPermissionInput& request) {
  (void)required(request.label, "Label");
  if (!request.aws_account_ids || request.aws_account_ids->empty()) throw missing_parameter("AWSAccountIds");
  if (!request.actions || request.actions->empty()) throw missing_parameter("Actions");
  if (request.actions->size() > kActionsMax) {
    throw errors::over_limit(
        cat(request.actions->size(), " Actions were found, maximum allowed is ", kActionsMax, "."));
  }
  for (const std::string& action : *request.actions) {
    if (std::ranges::find(kActions, action) != kActions.end()) continue;
    throw invalid_parameter(cat("SQS:", action), "ActionName",
                            "Only the queue owner is allowed to invoke this action.");
  }
}

}  // namespace

Task<shapes::AddPermissionOutput> add_permission(Service& service, wire::Context& context,
                                                 const shapes::AddPermissionInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  check_request(request);
  co_await service.change_record(address, [&](store::Transaction&, Queue& queue) -> Task<void> {
    lang::PolicyStatements policy = policy_of(queue);
    if (policy.has(*request.label)) throw invalid_parameter(*request.label, "Label", "Already exists.");
    policy.add(make_statement(queue, request));
    queue.attributes.insert_or_assign(std::string(kPolicy), policy.text());
    queue.modified = context.now();
    co_return;
  });
  co_return shapes::AddPermissionOutput{};
}

Task<shapes::RemovePermissionOutput> remove_permission(Service& service, wire::Context& context,
                                                       const shapes::RemovePermissionInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  const std::string& label = required(request.label, "Label");
  co_await service.change_record(address, [&](store::Transaction&, Queue& queue) -> Task<void> {
    lang::PolicyStatements policy = policy_of(queue);
    if (!policy.remove(label)) throw invalid_parameter(label, "Label", "can't find label.");
    if (policy.empty())
      queue.attributes.erase(std::string(kPolicy));
    else
      queue.attributes.insert_or_assign(std::string(kPolicy), policy.text());
    queue.modified = context.now();
    co_return;
  });
  co_return shapes::RemovePermissionOutput{};
}

}  // namespace tidemill::sqs

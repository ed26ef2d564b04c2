// AddPermission and RemovePermission: statements of the queue's policy. The policy is kept and shown; nobody's access
// is decided by it, since every account sees only its own queues.
#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
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

json::Object read_policy(const Queue& queue) {
  const auto found = queue.attributes.find(std::string(kPolicy));
  if (found != queue.attributes.end()) {
    if (auto document = json::parse(found->second); document && document->is_object()) return document->object();
  }
  return {
      {"Version", "2008-10-17"}, {"Id", cat(queue.address.arn(), "/SQSDefaultPolicy")}, {"Statement", json::Array{}}};
}

json::Array& statements_of(json::Object& policy) {
  json::Value* found = policy.find("Statement");
  if (!found) found = &policy.set("Statement", json::Array{});
  if (!found->is_array()) *found = json::Array{*found};
  return found->array();
}

bool has_label(const json::Value& statement, const std::string& label) {
  const json::Value* sid = statement.find("Sid");
  return sid && sid->is_string() && sid->string() == label;
}

// One alone stands by itself, as AWS writes it.
json::Value one_or_many(json::Array values) {
  return values.size() == 1 ? std::move(values.front()) : json::Value(std::move(values));
}

json::Value make_statement(const Queue& queue, const shapes::AddPermissionInput& request) {
  json::Array principals;
  for (const std::string& account : *request.aws_account_ids)
    principals.emplace_back(cat("arn:aws:iam::", account, ":root"));
  json::Array actions;
  for (const std::string& action : *request.actions) actions.emplace_back(cat("SQS:", action));
  return json::Object{{"Sid", *request.label},
                      {"Effect", "Allow"},
                      {"Principal", json::Object{{"AWS", one_or_many(std::move(principals))}}},
                      {"Action", one_or_many(std::move(actions))},
                      {"Resource", queue.address.arn()}};
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
    json::Object policy = read_policy(queue);
    json::Array& statements = statements_of(policy);
    if (std::ranges::any_of(statements, [&](const auto& one) { return has_label(one, *request.label); })) {
      throw invalid_parameter(*request.label, "Label", "Already exists.");
    }
    statements.push_back(make_statement(queue, request));
    queue.attributes.insert_or_assign(std::string(kPolicy), json::write(json::Value(std::move(policy))));
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
    json::Object policy = read_policy(queue);
    json::Array& statements = statements_of(policy);
    if (std::erase_if(statements, [&](const json::Value& one) { return has_label(one, label); }) == 0) {
      throw invalid_parameter(label, "Label", "can't find label.");
    }
    if (statements.empty())
      queue.attributes.erase(std::string(kPolicy));
    else
      queue.attributes.insert_or_assign(std::string(kPolicy), json::write(json::Value(std::move(policy))));
    queue.modified = context.now();
    co_return;
  });
  co_return shapes::RemovePermissionOutput{};
}

}  // namespace tidemill::sqs

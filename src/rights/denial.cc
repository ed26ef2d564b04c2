#include "rights/denial.h"

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::rights {

namespace {

using base::cat;
using lang::policies::Decision;
using lang::policies::PolicyKind;

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;

// SNS and SQS have their own ways of spelling actions.
std::string shown_action(const std::string& action) {
  if (action.starts_with("sqs:")) return lang::policies::lower_case(action);
  if (action.starts_with("sns:")) return cat("SNS", action.substr(3));
  return action;
}

std::string shown_resource(const Ask& ask) {
  if (ask.action.starts_with("s3:") && ask.resource != "*") return cat("\"", ask.resource, "\"");
  const auto arn = ask.action.starts_with("iam:") ? wire::parse_arn_of("iam", ask.resource) : std::nullopt;
  if (!arn) return ask.resource;
  const size_t slash = arn->resource.find('/');
  if (slash == std::string_view::npos) return ask.resource;
  const std::string_view type = arn->resource.substr(0, slash);
  if (type == "policy") return cat("policy ", ask.resource);
  if (ask.action == "iam:PassRole" || arn->resource.ends_with('*')) return ask.resource;
  return cat(type, " ", arn->resource.substr(arn->resource.rfind('/') + 1));
}

}  // namespace

std::string denial_message(const Actor& actor, const Ask& ask, const Decision& decision) {
  const std::string who = actor.caller.arn.empty() ? actor.caller.service : actor.caller.arn;
  const std::string action = shown_action(ask.action);
  std::string message = cat("User: ", who.empty() ? "anonymous" : who, " is not authorized to perform: ", action,
                            " on resource: ", shown_resource(ask));
  if (ask.action == "sts:AssumeRole") return message;  // which of both sides refuses is not told
  message += lang::policies::reason(decision, action);
  const bool tells_policy = decision.outcome == lang::policies::Outcome::explicitly_denied &&
                            decision.kind != PolicyKind::resource && decision.policy.starts_with("arn:");
  if (tells_policy) message += cat(": ", decision.policy);
  return message;
}

wire::Error denial_error(const wire::OperationInfo& operation, std::string message) {
  if (operation.protocol == wire::Protocol::rest_xml) return {"AccessDenied", kForbidden, std::move(message)};
  if (operation.protocol == wire::Protocol::query) {
    return {operation.service == "sns" ? "AuthorizationError" : "AccessDenied", kForbidden, std::move(message)};
  }
  const bool has_path = operation.protocol == wire::Protocol::rest_json;
  const bool is_queue = operation.service == "sqs";
  wire::Error error("AccessDeniedException", has_path || is_queue ? kForbidden : kBadRequest, std::move(message));
  if (!has_path) error.type_namespace = "com.amazon.coral.service";
  if (operation.signing_name == "dynamodb") error.message_member = "Message";
  error.query_code = "AccessDenied";
  error.query_status = kForbidden;
  return error;
}

}  // namespace tidemill::rights

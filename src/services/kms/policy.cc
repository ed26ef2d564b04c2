#include "services/kms/policy.h"

#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {
namespace {

using base::cat;
namespace errors = wire::kms::errors;

wire::Error malformed() { return errors::malformed_policy_document_exception("Policy is malformed."); }

bool is_statement(const json::Value& statement) {
  if (!statement.is_object()) return false;
  const json::Value* effect = statement.find("Effect");
  const bool says_what = effect && effect->is_string() && (effect->string() == "Allow" || effect->string() == "Deny");
  const bool says_who = statement.find("Principal") || statement.find("NotPrincipal");
  const bool says_which = statement.find("Resource") || statement.find("NotResource");
  return says_what && says_who && says_which && (statement.find("Action") || statement.find("NotAction"));
}

void check_policy(std::string_view document) {
  if (document.size() > kPolicySizeMax) {
    throw errors::malformed_policy_document_exception(cat("A key policy has at most ", kPolicySizeMax, " bytes."));
  }
  if (!lang::policies::Policy::parse_of_resource(document)) throw malformed();
  const auto policy = json::parse(document);
  const json::Value* statements = policy && policy->is_object() ? policy->find("Statement") : nullptr;
  if (!statements) throw malformed();
  if (!statements->is_array()) {
    if (!is_statement(*statements)) throw malformed();
    return;
  }
  if (statements->array().empty()) throw malformed();
  for (const json::Value& statement : statements->array()) {
    if (!is_statement(statement)) throw malformed();
  }
}

}  // namespace

Task<std::string> checked_policy(const wire::Context& context, std::string document) {
  check_policy(document);
  co_return co_await engine::with_ids(context, std::move(document), [](std::string_view) {
    return errors::malformed_policy_document_exception(
        "Policy contains a statement with one or more invalid principals.");
  });
}

Task<void> check_lockout(const wire::Context& context, std::string key_arn, std::string document) {
  if (co_await wire::would_let(context, {"kms:PutKeyPolicy", std::move(key_arn)}, std::move(document))) co_return;
  throw errors::malformed_policy_document_exception(
      "The new key policy will not allow you to update the key policy in the future.");
}

void check_policy_name(std::string_view name) {
  if (name != kPolicyName) throw errors::not_found_exception("No such policy exists");
}

std::string default_policy(std::string_view account) {
  return cat("{\n  \"Version\" : \"2012-10-17\",\n  \"Id\" : \"key-default-1\",\n  \"Statement\" : [ {\n"
             "    \"Sid\" : \"Enable IAM User Permissions\",\n    \"Effect\" : \"Allow\",\n"
             "    \"Principal\" : {\n      \"AWS\" : \"arn:aws:iam::",
             account, ":root\"\n    },\n    \"Action\" : \"kms:*\",\n    \"Resource\" : \"*\"\n  } ]\n}");
}

std::string policy_of_service(std::string_view account, std::string_view region, std::string_view service) {
  return cat("{\n  \"Version\" : \"2012-10-17\",\n  \"Id\" : \"auto-", service, "-1\",\n  \"Statement\" : [ {\n"
             "    \"Sid\" : \"Allow access through ", service, "\",\n    \"Effect\" : \"Allow\",\n"
             "    \"Principal\" : {\n      \"AWS\" : \"*\"\n    },\n"
             "    \"Action\" : [ \"kms:Encrypt\", \"kms:Decrypt\", \"kms:ReEncrypt*\", \"kms:GenerateDataKey*\", "
             "\"kms:DescribeKey\" ],\n    \"Resource\" : \"*\",\n"
             "    \"Condition\" : {\n      \"StringEquals\" : {\n        \"kms:CallerAccount\" : \"",
             account, "\",\n        \"kms:ViaService\" : \"", service, ".", region,
             ".amazonaws.com\"\n      }\n    }\n  } ]\n}");
}

}  // namespace tidemill::kms

// Inside: execution roles, and Policies as SAM has them: ARNs and names of managed policies, policy documents, and
// SAM's policy templates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/serverless/application.h"

namespace tidemill::lang::serverless {

struct RolePlan {
  std::string id;                       // of the role
  std::string_view principal;           // service that takes it on: "lambda"
  std::vector<std::string> managed;     // names or paths of AWS's policies: "service-role/AWSLambdaBasicExecutionRole"
  std::vector<json::Value> statements;  // what events need beside, a policy each
  json::Value tags;
};

// Adds the role. Of `source`: Policies, PermissionsBoundary, RolePath, AssumeRolePolicyDocument.
void add_role(Application& application, const Source& source, const RolePlan& plan);

// An allowing statement.
[[nodiscard]] json::Value allow(json::Value actions, json::Value resources);
// A policy document of statements, and one that lets a service take on a role.
[[nodiscard]] json::Value policy_document(json::Array statements);
[[nodiscard]] json::Value trust_of(std::string_view service);

// The statements of a policy template with its parameters: {"DynamoDBCrudPolicy": {"TableName": …}}. Throws
// ResourceError for one that is not known, and for parameters that are missing.
[[nodiscard]] json::Array policy_template(std::string_view name, const json::Value& parameters);

}  // namespace tidemill::lang::serverless

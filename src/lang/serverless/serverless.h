// The AWS::Serverless-2016-10-31 transform: from the resources of AWS::Serverless to those that they stand for, as
// SAM's documentation says which these are and what they are called. A pure function.
//
// Functions with roles, policies, versions, aliases, URLs and events (SQS, Kinesis, DynamoDB, SNS, S3, Schedule,
// ScheduleV2, EventBridgeRule, CloudWatchEvent, CloudWatchLogs), state machines, simple tables, layers, applications,
// and Globals. What stands for services that are not here (Api, HttpApi and their kin) is refused by name.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "base/json.h"

namespace tidemill::lang::serverless {

// "Invalid Serverless Application Specification document. Number of errors found: 1. Resource with id [F] is invalid.
// …"
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a value of the template is that needs no resources; nothing for one that does.
using Evaluate = std::function<std::optional<json::Value>(const json::Value& value)>;

// The document without resources of AWS::Serverless and Globals. Throws Error with all resources that are wrong.
[[nodiscard]] json::Value transform(const json::Value& document, const Evaluate& evaluate);

}  // namespace tidemill::lang::serverless

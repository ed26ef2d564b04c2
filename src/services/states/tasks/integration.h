// The operations that AWS made integrations for ("optimised"): which parameters they take, and which patterns they
// know. And how AWS's two SDKs name services: the one of these integrations (SDK for Java 1), and the one of all others
// (2).
#pragma once

#include <span>
#include <string_view>

namespace tidemill::states::tasks {

struct Integration {
  std::string_view type;       // "dynamodb"
  std::string_view action;     // "getItem"
  std::string_view service;    // the registry's
  std::string_view operation;  // the registry's
  std::span<const std::string_view> parameters;
  std::span<const std::string_view> required;
  bool takes_token = false;  // knows .waitForTaskToken
  bool takes_sync = false;   // knows .sync and .sync:2
  bool has_metadata = true;  // its output has SdkHttpMetadata and SdkResponseMetadata
};

// nullptr: AWS has none, or Tidemill not its service.
[[nodiscard]] const Integration* find_integration(std::string_view type, std::string_view action);
// Whether AWS has integrations of that name, be it one that Tidemill lacks.
[[nodiscard]] bool is_integrated_by_aws(std::string_view type);

struct ServiceNames {
  std::string_view service;  // the registry's: "dynamodb"
  std::string_view sdk;      // in resources: "dynamodb"
  std::string_view prefix;   // of errors by aws-sdk, and in their causes: "DynamoDb"
  // Of optimised integrations; empty: there are none.
  std::string_view old_prefix;     // "DynamoDB"
  std::string_view old_service;    // in causes: "AmazonDynamoDBv2"
  std::string_view old_exception;  // of errors without a class of their own: "AmazonDynamoDBException"
};

// nullptr: it has no name in SDKs.
[[nodiscard]] const ServiceNames* names_of(std::string_view service);
[[nodiscard]] const ServiceNames* names_of_sdk(std::string_view sdk);

}  // namespace tidemill::states::tasks

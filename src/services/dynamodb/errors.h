// The errors of DynamoDB and its streams, with AWS's messages (facts 2, 3.3, 3.4). Throw what they return.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/dynamodb/expression.h"
#include "services/dynamodb/types.h"
#include "wire/error.h"

namespace tidemill::dynamodb {

// Messages that AWS begins so on single-item operations and Query, and leaves bare on Scan and in batches (facts 3.3).
inline constexpr std::string_view kDetectedPrefix = "1 validation error detected: ";
enum class MessageStyle {
  prefixed,  // of GetItem and Query: those that say so themselves
  bare,
  written,   // of PutItem, UpdateItem and DeleteItem: since 2026 also what concerns names and values for no expression
};

// Of a request as it stands, whatever is in the table. A transaction answers with it as a whole, where other errors of
// an action become that action's cancellation reason.
struct RequestError : wire::Error {
  explicit RequestError(wire::Error error) : wire::Error(std::move(error)) {}
};

wire::Error validation(std::string message);
wire::Error validation(MessageStyle style, std::string_view message);
// A key attribute that is an empty string or binary value.
RequestError empty_key_value(std::string_view attribute, Type type);
// "One or more parameter values were invalid: …"
wire::Error invalid_parameters(std::string_view reason);
wire::Error expression_error(MessageStyle style, const lang::dynamodb::ExpressionError& error);

// Of item operations: "Requested resource not found".
wire::Error resource_not_found();
// Of table operations: "Requested resource not found: Table: <name> not found".
wire::Error table_not_found(std::string_view name);
wire::Error stream_not_found(std::string_view arn);
wire::Error shard_not_found(std::string_view shard_id, std::string_view arn);
wire::Error table_exists(std::string_view name);
// `item`, if given, is told to the caller (ReturnValuesOnConditionCheckFailure).
wire::Error condition_failed(std::optional<ItemView> item);
// Of tables with local indexes (item_collection.h).
wire::Error collection_too_large();
wire::Error trimmed_data_access();
wire::Error expired_iterator();
// What a caller gets whose write waits behind too many: SDKs retry it with back-off.
wire::Error throughput_exceeded();
wire::Error internal_error(std::string_view message);

}  // namespace tidemill::dynamodb

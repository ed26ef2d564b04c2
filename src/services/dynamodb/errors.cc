#include "services/dynamodb/errors.h"

#include "lang/dynamodb/json_codec.h"

namespace tidemill::dynamodb {

namespace {

constexpr int kBadRequest = 400;
constexpr int kInternal = 500;

wire::Error client_error(std::string code, std::string message) {
  return wire::Error(std::move(code), kBadRequest, std::move(message));
}

}  // namespace

wire::Error validation(std::string message) { return wire::validation_error(std::move(message)); }

wire::Error validation(MessageStyle style, std::string_view message) {
  return validation(std::string(style == MessageStyle::bare ? "" : kDetectedPrefix).append(message));
}

RequestError empty_key_value(std::string_view attribute, Type type) {
  const wire::Error error = validation(
      std::string("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                  "empty ")
          .append(type == Type::S ? "string" : "binary")
          .append(" value. Key: ")
          .append(attribute));
  return RequestError(error);
}

wire::Error invalid_parameters(std::string_view reason) {
  return validation(std::string("One or more parameter values were invalid: ").append(reason));
}

wire::Error expression_error(MessageStyle style, const lang::dynamodb::ExpressionError& error) {
  const bool is_prefixed = error.prefixed() || (style == MessageStyle::written && error.is_prefixed_in_writes());
  return validation(is_prefixed ? style : MessageStyle::bare, error.what());
}

wire::Error resource_not_found() {
  return client_error("ResourceNotFoundException", "Requested resource not found");
}

wire::Error table_not_found(std::string_view name) {
  return client_error("ResourceNotFoundException",
                      std::string("Requested resource not found: Table: ").append(name).append(" not found"));
}

wire::Error stream_not_found(std::string_view arn) {
  return client_error("ResourceNotFoundException",
                      std::string("Requested resource not found: Stream: ").append(arn).append(" not found"));
}

wire::Error shard_not_found(std::string_view shard_id, std::string_view arn) {
  return client_error("ResourceNotFoundException", std::string("Requested resource not found: Shard does not exist: ")
                                                       .append(shard_id)
                                                       .append(" in ")
                                                       .append(arn));
}

wire::Error table_exists(std::string_view name) {
  return client_error("ResourceInUseException", std::string("Table already exists: ").append(name));
}

wire::Error condition_failed(std::optional<ItemView> item) {
  wire::Error error = client_error("ConditionalCheckFailedException", "The conditional request failed");
  if (item) {
    error.more_members = "\"Item\":" + lang::dynamodb::to_json(*item);
    error.message_member = "Message";  // as recorded on AWS, which has "message" without an item
  }
  return error;
}

wire::Error collection_too_large() {
  return client_error("ItemCollectionSizeLimitExceededException", "Collection size exceeded.");
}

wire::Error trimmed_data_access() {
  return client_error("TrimmedDataAccessException",
                      "The operation attempted to read past the oldest stream record in a shard.");
}

wire::Error expired_iterator() {
  return client_error("ExpiredIteratorException",
                      "The shard iterator is expired. The shard iterator expires 15 minutes after it was returned.");
}

wire::Error throughput_exceeded() {
  return client_error("ProvisionedThroughputExceededException",
                      "The level of configured provisioned throughput for the table was exceeded. Consider increasing "
                      "your provisioning level with the UpdateTable API.");
}

wire::Error internal_error(std::string_view message) {
  return wire::Error("InternalServerError", kInternal, std::string(message));
}

}  // namespace tidemill::dynamodb

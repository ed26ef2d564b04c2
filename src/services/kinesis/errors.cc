#include "services/kinesis/errors.h"

#include "base/text.h"
#include "services/kinesis/stream.h"

namespace tidemill::kinesis {

using base::cat;

namespace {

// As it came, if it is no shard's.
std::string long_form(std::string_view shard_id) {
  const auto number = parse_shard_id(shard_id);
  return number ? Shard{.number = *number}.id() : std::string(shard_id);
}

}  // namespace

wire::Error invalid_argument(std::string message) { return errors::invalid_argument_exception(std::move(message)); }

wire::Error limit_exceeded(std::string message) { return errors::limit_exceeded_exception(std::move(message)); }

wire::Error stream_not_found(const StreamAddress& address) {
  return errors::resource_not_found_exception(
      cat("Stream ", address.name, " under account ", address.account, " not found."));
}

wire::Error consumer_not_found(std::string_view consumer, const StreamAddress& address) {
  return errors::resource_not_found_exception(
      cat("Consumer ", consumer, " of stream ", address.name, " under account ", address.account, " not found."));
}

wire::Error shard_not_found(std::string_view shard_id, const StreamAddress& address) {
  return errors::resource_not_found_exception(
      cat("Could not find shard ", long_form(shard_id), " in stream ", address.name, " under account ", address.account, "."));
}

wire::Error shard_does_not_exist(std::string_view shard_id, const StreamAddress& address) {
  return errors::resource_not_found_exception(
      cat("Shard ", long_form(shard_id), " in stream ", address.name, " under account ", address.account, " does not exist"));
}

wire::Error stream_not_active(const StreamAddress& address, std::string_view status) {
  return errors::resource_in_use_exception(
      cat("Stream ", address.name, " under account ", address.account, " not ACTIVE, instead in state ", status));
}

}  // namespace tidemill::kinesis

#include "services/kinesis/errors.h"

#include "base/text.h"

namespace tidemill::kinesis {

using base::cat;

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
      cat("Could not find shard ", shard_id, " in stream ", address.name, " under account ", address.account, "."));
}

wire::Error shard_does_not_exist(std::string_view shard_id, const StreamAddress& address) {
  return errors::resource_not_found_exception(
      cat("Shard ", shard_id, " in stream ", address.name, " under account ", address.account, " does not exist"));
}

wire::Error stream_not_active(const StreamAddress& address, std::string_view status) {
  return errors::resource_in_use_exception(
      cat("Stream ", address.name, " under account ", address.account, " not ACTIVE, instead in state ", status));
}

}  // namespace tidemill::kinesis

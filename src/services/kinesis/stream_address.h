// How streams and their consumers are named:
//   arn:aws:kinesis:REGION:ACCOUNT:stream/NAME
//   arn:aws:kinesis:REGION:ACCOUNT:stream/NAME/consumer/NAME:SECONDS
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::kinesis {

inline constexpr std::string_view kConsumerPart = "/consumer/";

struct StreamAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
  bool operator==(const StreamAddress&) const = default;
};

struct ConsumerAddress {
  StreamAddress stream;
  std::string name;
  int64_t created_seconds = 0;  // tells consumers of one name apart that came after each other

  [[nodiscard]] std::string arn() const;
};

// Nothing if `arn` is none of that kind.
[[nodiscard]] std::optional<StreamAddress> parse_stream_arn(std::string_view arn);
[[nodiscard]] std::optional<ConsumerAddress> parse_consumer_arn(std::string_view arn);

// The stream that a request means by a name, an ARN, or both if they agree. Throws InvalidArgumentException, and
// ResourceNotFoundException for what belongs to another account or region.
[[nodiscard]] StreamAddress resolve_stream(const wire::Context& context, const std::optional<std::string>& name,
                                           const std::optional<std::string>& arn);

// The same for requests that have both members.
template <class Request>
[[nodiscard]] StreamAddress stream_of(const wire::Context& context, const Request& request) {
  return resolve_stream(context, request.stream_name, request.stream_arn);
}

}  // namespace tidemill::kinesis

#include "services/kinesis/stream_address.h"

#include <charconv>

#include "base/text.h"
#include "services/kinesis/errors.h"

namespace tidemill::kinesis {
namespace {

constexpr std::string_view kPrefix = "arn:aws:kinesis:";
constexpr std::string_view kStreamPart = "stream/";

// Up to the separator, which is taken away with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

}  // namespace

std::string StreamAddress::arn() const { return base::cat(kPrefix, region, ":", account, ":", kStreamPart, name); }

std::string ConsumerAddress::arn() const { return base::cat(stream.arn(), kConsumerPart, name, ":", created_seconds); }

std::optional<StreamAddress> parse_stream_arn(std::string_view arn) {
  if (!arn.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = arn.substr(kPrefix.size());
  StreamAddress address;
  address.region = take_until(rest, ':');
  address.account = take_until(rest, ':');
  if (!rest.starts_with(kStreamPart)) return std::nullopt;
  address.name = rest.substr(kStreamPart.size());
  if (address.region.empty() || address.account.empty() || address.name.empty()) return std::nullopt;
  if (address.name.find_first_of("/:") != std::string::npos) return std::nullopt;
  return address;
}

std::optional<ConsumerAddress> parse_consumer_arn(std::string_view arn) {
  const size_t at = arn.find(kConsumerPart);
  if (at == std::string_view::npos) return std::nullopt;
  auto stream = parse_stream_arn(arn.substr(0, at));
  if (!stream) return std::nullopt;
  std::string_view rest = arn.substr(at + kConsumerPart.size());
  ConsumerAddress address{.stream = *std::move(stream), .name = std::string(take_until(rest, ':'))};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), address.created_seconds);
  if (error != std::errc() || end != rest.data() + rest.size() || address.name.empty()) return std::nullopt;
  return address;
}

StreamAddress resolve_stream(const wire::Context& context, const std::optional<std::string>& name,
                             const std::optional<std::string>& arn) {
  if (!arn) {
    if (!name) throw invalid_argument("Either StreamARN or StreamName must be provided.");
    return {context.account, context.region, *name};
  }
  auto address = parse_stream_arn(*arn);
  if (!address) throw invalid_argument(base::cat("StreamARN ", *arn, " is not the ARN of a stream."));
  if (name && *name != address->name) {
    throw invalid_argument(base::cat("StreamARN ", *arn, " and StreamName ", *name, " do not match."));
  }
  if (address->account != context.account || address->region != context.region) throw stream_not_found(*address);
  return *std::move(address);
}

}  // namespace tidemill::kinesis

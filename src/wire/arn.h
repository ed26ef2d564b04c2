// Amazon Resource Names: arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Region and account may be empty (buckets have
// neither); the resource is all that is left, colons included, and each service's own matter.
//
//   const auto arn = wire::parse_arn("arn:aws:sqs:eu-west-1:123456789012:jobs");
//   arn->resource == "jobs"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::wire {

inline constexpr std::string_view kPartition = "aws";

// Points into the text that it was parsed from.
struct Arn {
  std::string_view partition = kPartition;
  std::string_view service;
  std::string_view region;
  std::string_view account;
  std::string_view resource;

  [[nodiscard]] std::string text() const;
  bool operator==(const Arn&) const = default;
};

// Nothing: `text` is no ARN, or its partition, service or resource is empty.
[[nodiscard]] std::optional<Arn> parse_arn(std::string_view text);

// The same, and only one of that service in kPartition.
[[nodiscard]] std::optional<Arn> parse_arn_of(std::string_view service, std::string_view text);

}  // namespace tidemill::wire

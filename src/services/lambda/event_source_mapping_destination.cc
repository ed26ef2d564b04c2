#include "services/lambda/event_source_mapping_destination.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_rules.h"

namespace tidemill::lambda {

namespace {

constexpr std::array<std::string_view, 3> kPrefixes{"arn:aws:sqs:", "arn:aws:sns:", "arn:aws:s3:::"};

// arn:aws:sqs:REGION:ACCOUNT:NAME, and of topics the same; of buckets arn:aws:s3:::NAME.
bool is_complete(std::string_view arn) {
  const std::string_view name = arn.substr(arn.rfind(':') + 1);
  return std::ranges::count(arn, ':') == 5 && !name.empty() && name.find('/') == std::string_view::npos;
}

}  // namespace

void check_failure_destination(const std::optional<shapes::DestinationConfig>& destinations) {
  if (!destinations) return;
  const std::string arn = failure_destination_of(*destinations);
  if (arn.empty()) return;
  const bool is_known = std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return arn.starts_with(prefix); });
  if (!is_known || !is_complete(arn)) {
    throw errors::invalid_parameter_value_exception(
        base::cat("The destination ARN ", arn, " is not supported: it must be a queue, a topic or a bucket."));
  }
  if (is_fifo(arn) && !arn.starts_with(kPrefixes.back())) {
    throw errors::invalid_parameter_value_exception(
        base::cat("The destination ARN ", arn, " is not supported: FIFO queues and topics cannot be destinations."));
  }
}

std::string failure_destination_of(const shapes::DestinationConfig& destinations) {
  return destinations.on_failure ? destinations.on_failure->destination.value_or("") : "";
}

}  // namespace tidemill::lambda

#include "wire/arn.h"

#include "base/text.h"

namespace tidemill::wire {
namespace {

// What stands before the next colon, and takes both away; nothing if there is none.
std::optional<std::string_view> take_field(std::string_view& text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  return field;
}

}  // namespace

std::string Arn::text() const {
  return base::cat("arn:", partition, ":", service, ":", region, ":", account, ":", resource);
}

std::optional<Arn> parse_arn(std::string_view text) {
  if (take_field(text) != "arn") return std::nullopt;
  Arn arn;
  for (std::string_view* field : {&arn.partition, &arn.service, &arn.region, &arn.account}) {
    const auto found = take_field(text);
    if (!found) return std::nullopt;
    *field = *found;
  }
  arn.resource = text;
  if (arn.partition.empty() || arn.service.empty() || arn.resource.empty()) return std::nullopt;
  return arn;
}

std::optional<Arn> parse_arn_of(std::string_view service, std::string_view text) {
  const auto arn = parse_arn(text);
  if (!arn || arn->partition != kPartition || arn->service != service) return std::nullopt;
  return arn;
}

}  // namespace tidemill::wire

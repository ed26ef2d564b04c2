#include "services/cloudwatch/region_name.h"

#include <algorithm>
#include <utility>

namespace tidemill::cloudwatch {

std::string region_name(std::string_view code) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"af-south-1", "Africa (Cape Town)"},
      {"ap-east-1", "Asia Pacific (Hong Kong)"},
      {"ap-east-2", "Asia Pacific (Taipei)"},
      {"ap-northeast-1", "Asia Pacific (Tokyo)"},
      {"ap-northeast-2", "Asia Pacific (Seoul)"},
      {"ap-northeast-3", "Asia Pacific (Osaka)"},
      {"ap-south-1", "Asia Pacific (Mumbai)"},
      {"ap-south-2", "Asia Pacific (Hyderabad)"},
      {"ap-southeast-1", "Asia Pacific (Singapore)"},
      {"ap-southeast-2", "Asia Pacific (Sydney)"},
      {"ap-southeast-3", "Asia Pacific (Jakarta)"},
      {"ap-southeast-4", "Asia Pacific (Melbourne)"},
      {"ap-southeast-5", "Asia Pacific (Malaysia)"},
      {"ap-southeast-6", "Asia Pacific (New Zealand)"},
      {"ap-southeast-7", "Asia Pacific (Thailand)"},
      {"ca-central-1", "Canada (Central)"},
      {"ca-west-1", "Canada West (Calgary)"},
      {"eu-central-1", "EU (Frankfurt)"},
      {"eu-central-2", "Europe (Zurich)"},
      {"eu-north-1", "EU (Stockholm)"},
      {"eu-south-1", "Europe (Milan)"},
      {"eu-south-2", "Europe (Spain)"},
      {"eu-west-1", "EU (Ireland)"},
      {"eu-west-2", "EU (London)"},
      {"eu-west-3", "EU (Paris)"},
      {"il-central-1", "Israel (Tel Aviv)"},
      {"me-central-1", "Middle East (UAE)"},
      {"me-south-1", "Middle East (Bahrain)"},
      {"mx-central-1", "Mexico (Central)"},
      {"sa-east-1", "South America (Sao Paulo)"},
      {"us-east-1", "US East (N. Virginia)"},
      {"us-east-2", "US East (Ohio)"},
      {"us-west-1", "US West (N. California)"},
      {"us-west-2", "US West (Oregon)"},
  };
  const auto* found = std::ranges::find(kNames, code, [](const auto& name) { return name.first; });
  return std::string(found == std::end(kNames) ? code : found->second);
}

}  // namespace tidemill::cloudwatch

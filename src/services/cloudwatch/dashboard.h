// What a dashboard is, and how it is kept: as a resource (account, no region, "cloudwatch", "dashboard", name), for an
// account has its dashboards in all regions. "Dashboard body structure and syntax" in the API reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/resources.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::cloudwatch {

namespace shapes = wire::cloudwatch;

inline constexpr store::ResourceType kDashboardType{"cloudwatch", "dashboard"};
inline constexpr size_t kDashboardBytesMax = 1 << 20;
inline constexpr size_t kWidgetsMax = 500;

struct Dashboard {
  store::ResourceAddress address;
  std::string body;
  base::Time modified;

  [[nodiscard]] std::string arn() const;
};

[[nodiscard]] std::string dashboard_key(const store::ResourceAddress& address);
[[nodiscard]] std::string encode_dashboard(const Dashboard& dashboard);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Dashboard decode_dashboard(store::ResourceAddress address, std::string_view bytes);

// What is wrong with a body, and where; empty: nothing.
[[nodiscard]] std::vector<shapes::DashboardValidationMessage> faults_of_dashboard(const std::string& body);

}  // namespace tidemill::cloudwatch

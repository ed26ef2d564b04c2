// AWS::CloudWatch::Dashboard.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kDashboardNameSizeMax = 255;

constexpr Property kDashboardProperties[] = {
    {.name = "DashboardBody", .required = true},
    {.name = "DashboardName", .update = Update::replaces},
};

Task<void> put_dashboard(Step& step, std::string name, const json::Object& properties) {
  co_await step.call("cloudwatch", "PutDashboard",
                     json::Object{{"DashboardName", name}, {"DashboardBody", text_of(properties, "DashboardBody")}});
}

Task<std::string> create_dashboard(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "DashboardName", kDashboardNameSizeMax);
  if (properties.find("DashboardName")) {
    co_await claim(step, name,
                   {"cloudwatch",
                    "GetDashboard",
                    json::Object{{"DashboardName", name}},
                    {"DashboardNotFoundError", "ResourceNotFound"}});
  }
  co_await put_dashboard(step, name, properties);
  co_return name;
}

Task<std::string> update_dashboard(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await put_dashboard(step, name, after);
  co_return name;
}

Task<void> remove_dashboard(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("cloudwatch", "DeleteDashboards", json::Object{{"DashboardNames", json::Array{name}}},
                             {"DashboardNotFoundError", "ResourceNotFound"});
}

Task<json::Object> read_dashboard(Step& step, std::string name) {
  const json::Value found = co_await step.call("cloudwatch", "GetDashboard", json::Object{{"DashboardName", name}});
  co_return json::Object{{"DashboardName", name}, {"DashboardBody", answered(found, "DashboardBody")}};
}

Task<std::vector<std::string>> list_dashboards(Step& step) {
  return list_all(step, "cloudwatch", "ListDashboards", "DashboardEntries", "DashboardName");
}

}  // namespace

const ResourceType types::kCloudWatchDashboard = {
    .name = "AWS::CloudWatch::Dashboard",
    .properties = kDashboardProperties,
    .create = create_dashboard,
    .update = update_dashboard,
    .remove = remove_dashboard,
    .read = read_dashboard,
    .list = list_dashboards,
    .name_property = "DashboardName",
};

}  // namespace tidemill::cloudformation

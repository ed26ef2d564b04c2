#include "services/cloudwatch/dashboard.h"

#include <algorithm>

#include "base/json_members.h"
#include "base/text.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

constexpr auto kDashboardMembers = [](auto& member, auto& dashboard) {
  member("body", dashboard.body);
  member("modified_us", dashboard.modified);
};

class Faults {
 public:
  void add(std::string path, std::string message) {
    found_.push_back({.data_path = std::move(path), .message = std::move(message)});
  }

  void check_number(const json::Value& widget, const std::string& path, std::string_view name, int64_t min,
                    int64_t max) {
    const json::Value* value = widget.find(name);
    if (!value) return;
    const auto number = value->to_int64();
    if (!number) return add(cat(path, "/", name), "Should be integer");
    if (*number < min) add(cat(path, "/", name), cat("Should be >= ", min));
    if (*number > max) add(cat(path, "/", name), cat("Should be <= ", max));
  }

  void check_widget(const json::Value& widget, const std::string& path) {
    static constexpr std::string_view kTypes[] = {"metric", "text", "log", "alarm", "explorer", "custom"};
    if (!widget.is_object()) return add(path, "Should be object");
    const json::Value* type = widget.find("type");
    if (!type)
      add(path, "Should have required property 'type'");
    else if (!type->is_string() || std::ranges::find(kTypes, type->string()) == std::end(kTypes)) {
      add(path + "/type", "Should be equal to one of the allowed values");
    }
    const json::Value* properties = widget.find("properties");
    if (!properties)
      add(path, "Should have required property 'properties'");
    else if (!properties->is_object())
      add(path + "/properties", "Should be object");
    else if (type && type->is_string() && type->string() == "text" && !properties->find("markdown")) {
      add(path + "/properties", "Should have required property 'markdown'");
    }
    constexpr int64_t kColumns = 24;
    constexpr int64_t kHeightMax = 1'000;
    check_number(widget, path, "x", 0, kColumns - 1);
    check_number(widget, path, "y", 0, INT32_MAX);
    check_number(widget, path, "width", 1, kColumns);
    check_number(widget, path, "height", 1, kHeightMax);
  }

  std::vector<shapes::DashboardValidationMessage> take() { return std::move(found_); }

 private:
  std::vector<shapes::DashboardValidationMessage> found_;
};

}  // namespace

std::string Dashboard::arn() const { return cat("arn:aws:cloudwatch::", address.account, ":dashboard/", address.name); }

std::string dashboard_key(const store::ResourceAddress& address) {
  return store::resource_key(kDashboardType, address.account, address.region, address.name);
}

std::string encode_dashboard(const Dashboard& dashboard) { return json::encode(dashboard, kDashboardMembers); }

Dashboard decode_dashboard(store::ResourceAddress address, std::string_view bytes) {
  return json::decode("dashboard", bytes, kDashboardMembers, Dashboard{.address = std::move(address)});
}

std::vector<shapes::DashboardValidationMessage> faults_of_dashboard(const std::string& body) {
  Faults faults;
  const auto document = json::parse(body);
  if (!document || !document->is_object()) {
    faults.add("", "The field DashboardBody must be a valid JSON object");
    return faults.take();
  }
  const json::Value* widgets = document->find("widgets");
  if (!widgets) {
    faults.add("", "Should have required property 'widgets'");
  } else if (!widgets->is_array()) {
    faults.add("/widgets", "Should be array");
  } else if (widgets->array().size() > kWidgetsMax) {
    faults.add("/widgets", cat("Should NOT have more than ", kWidgetsMax, " items"));
  } else {
    for (size_t i = 0; i < widgets->array().size(); ++i) {
      faults.check_widget(widgets->array()[i], cat("/widgets/", i));
    }
  }
  return faults.take();
}

}  // namespace tidemill::cloudwatch

// Puts, shows, lists and deletes dashboards.
#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/json_record.h"
#include "base/text.h"
#include "services/cloudwatch/dashboard.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

constexpr size_t kDashboardNameSizeMax = 255;
constexpr size_t kEntriesMax = 1'000;

bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

store::ResourceAddress dashboard_called(const wire::Context& context, const std::string& name) {
  return {context.account, "", name};
}

wire::Error not_found(std::string_view name) {
  return errors::dashboard_not_found_error(cat("Dashboard ", name, " does not exist"));
}

// "The dashboard body is invalid, there are 2 validation errors: [ … ]"
wire::Error invalid(std::vector<shapes::DashboardValidationMessage> faults) {
  std::string list;
  json::Writer writer(list);
  writer.begin_array();
  for (const auto& fault : faults) {
    writer.begin_object();
    json::write_member(writer, "dataPath", fault.data_path.value_or(""));
    json::write_member(writer, "message", fault.message.value_or(""));
    writer.end_object();
  }
  writer.end_array();
  std::string message = cat("The dashboard body is invalid, there are ", faults.size(), " validation errors: ", list);
  return errors::dashboard_invalid_input_error(std::move(message),
                                               {.dashboard_validation_messages = std::move(faults)});
}

}  // namespace

Task<shapes::PutDashboardOutput> put_dashboard(Service& service, wire::Context& context,
                                               const shapes::PutDashboardInput& request) {
  const std::string& name = request.dashboard_name;
  if (name.empty() || name.size() > kDashboardNameSizeMax || !std::ranges::all_of(name, is_part_of_name)) {
    throw errors::dashboard_invalid_input_error(
        cat("The value ", name,
            " for field DashboardName contains invalid characters. It can only contain alphanumerics, "
            "dash (-) and underscore (_)."));
  }
  if (request.dashboard_body.size() > kDashboardBytesMax) {
    throw errors::dashboard_invalid_input_error(
        cat("The field DashboardBody is larger than ", kDashboardBytesMax, " bytes."));
  }
  auto faults = faults_of_dashboard(request.dashboard_body);
  if (!faults.empty()) throw invalid(std::move(faults));
  const Dashboard dashboard{
      .address = dashboard_called(context, name), .body = request.dashboard_body, .modified = context.now()};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    txn.put(dashboard_key(dashboard.address), encode_dashboard(dashboard));
    co_return;
  });
  shapes::PutDashboardOutput out;
  out.dashboard_validation_messages.emplace();
  co_return out;
}

Task<shapes::GetDashboardOutput> get_dashboard(Service& service, wire::Context& context,
                                               const shapes::GetDashboardInput& request) {
  store::ResourceAddress address = dashboard_called(context, request.dashboard_name);
  const auto snapshot = service.store().snapshot();
  const auto bytes = co_await snapshot->get(dashboard_key(address));
  if (!bytes) throw not_found(request.dashboard_name);
  Dashboard dashboard = decode_dashboard(std::move(address), *bytes);
  co_return shapes::GetDashboardOutput{.dashboard_arn = dashboard.arn(),
                                       .dashboard_body = std::move(dashboard.body),
                                       .dashboard_name = request.dashboard_name};
}

Task<shapes::ListDashboardsOutput> list_dashboards(Service& service, wire::Context& context,
                                                   const shapes::ListDashboardsInput& request) {
  store::Range range = store::resources_range(kDashboardType, context.account, "");
  if (request.next_token) {
    const auto after = base::base64_decode(*request.next_token);
    if (!after || *after < range.begin || *after >= range.end) throw invalid_next_token();
    range.begin = *after + '\0';
  }
  shapes::ListDashboardsOutput out;
  out.dashboard_entries.emplace();
  std::string last;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto address = store::resource_of_key(kDashboardType, key);
    if (!address || !address->name.starts_with(request.dashboard_name_prefix.value_or(""))) return true;
    if (out.dashboard_entries->size() == kEntriesMax) {
      out.next_token = base::base64_encode(last);
      return false;
    }
    const Dashboard dashboard = decode_dashboard(*std::move(address), value);
    out.dashboard_entries->push_back({.dashboard_name = dashboard.address.name,
                                      .dashboard_arn = dashboard.arn(),
                                      .last_modified = dashboard.modified,
                                      .size = static_cast<int64_t>(dashboard.body.size())});
    last = key;
    return true;
  });
  co_return out;
}

Task<shapes::DeleteDashboardsOutput> delete_dashboards(Service& service, wire::Context& context,
                                                       const shapes::DeleteDashboardsInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    for (const std::string& name :
         std::set<std::string>(request.dashboard_names.begin(), request.dashboard_names.end())) {
      const std::string key = dashboard_key(dashboard_called(context, name));
      if (!co_await txn.get(key)) throw not_found(name);
      txn.erase(key);
    }
  });
  co_return shapes::DeleteDashboardsOutput{};
}

}  // namespace tidemill::cloudwatch

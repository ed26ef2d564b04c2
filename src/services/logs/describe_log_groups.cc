// Lists groups, by name: DescribeLogGroups with what they hold, ListLogGroups by patterns of their names.
#include <algorithm>
#include <functional>

#include "base/base64.h"
#include "services/logs/errors.h"
#include "services/logs/operations.h"

namespace tidemill::logs {
namespace {

constexpr int kGroupsByDefault = 50;
constexpr size_t kNamePatternsMax = 5;

struct Page {
  std::vector<LogGroup> groups;
  std::optional<std::string> next_token;
};

using Accepts = std::function<bool(std::string_view name)>;

Task<Page> list_page(store::Snapshot& snapshot, const wire::Context& context, const std::optional<std::string>& token,
                     std::optional<int32_t> limit, const std::string& prefix, const Accepts& accepts) {
  store::Range range = store::resources_range(kLogGroupType, context.account, context.region);
  if (!prefix.empty()) range.begin = group_key({context.account, context.region, prefix});
  if (token) {
    const auto after = base::base64_decode(*token);
    if (!after || after->empty()) throw invalid_next_token();
    range.begin = std::max(range.begin, group_key({context.account, context.region, *after}) + '\0');
  }
  const auto count_max = static_cast<size_t>(limit.value_or(kGroupsByDefault));
  Page page;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto address = store::resource_of_key(kLogGroupType, key);
    if (!address) return true;
    if (!address->name.starts_with(prefix)) return false;
    if (!accepts(address->name)) return true;
    if (page.groups.size() == count_max) {
      page.next_token = base::base64_encode(page.groups.back().address.name);
      return false;
    }
    page.groups.push_back(decode_group(*std::move(address), std::string(value)));
    return true;
  });
  co_return page;
}

Task<int64_t> stored_bytes(store::Snapshot& snapshot, const LogGroup& group) {
  uint64_t sum = 0;
  co_await snapshot.scan(totals_range(group.id), store::Direction::forward,
                         [&](std::string_view, std::string_view value) {
                           sum += decode_totals(value).stored_bytes;
                           return true;
                         });
  co_return static_cast<int64_t>(sum);
}

// "^prefix", "part", and several of them with '|' between.
Accepts named_like(const std::string& pattern) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= pattern.size();) {
    const size_t end = std::min(pattern.find('|', at), pattern.size());
    parts.push_back(pattern.substr(at, end - at));
    at = end + 1;
  }
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_/#").find(c) != std::string_view::npos;
  };
  for (const std::string& part : parts) {
    const std::string_view text = part.starts_with('^') ? std::string_view(part).substr(1) : part;
    if (text.size() < 3 || text.size() > 24 || !std::ranges::all_of(text, is_name) || parts.size() > kNamePatternsMax) {
      throw errors::invalid_parameter_exception(
          "1 validation error detected: Value at 'logGroupNamePattern' failed to satisfy constraint: Member must "
          "satisfy regular expression pattern: "
          "(\\^?[\\.\\-_\\/#A-Za-z0-9]{3,24})(\\|\\^?[\\.\\-_\\/#A-Za-z0-9]{3,24}){0,4}");
    }
  }
  return [parts = std::move(parts)](std::string_view name) {
    return std::ranges::any_of(parts, [&](const std::string& part) {
      return part.starts_with('^') ? name.starts_with(part.substr(1)) : name.find(part) != std::string_view::npos;
    });
  };
}

// Every group is of this class.
bool asks_for_others(const std::optional<std::string>& group_class) {
  return group_class && *group_class != shapes::LogGroupClass::kStandard;
}

}  // namespace

Task<shapes::DescribeLogGroupsOutput> describe_log_groups(Service& service, wire::Context& context,
                                                          const shapes::DescribeLogGroupsInput& request) {
  if (request.log_group_name_prefix && request.log_group_name_pattern) {
    throw errors::invalid_parameter_exception(
        "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.");
  }
  shapes::DescribeLogGroupsOutput out;
  out.log_groups.emplace();
  if (asks_for_others(request.log_group_class)) co_return out;
  const std::string pattern = request.log_group_name_pattern.value_or("");
  const auto snapshot = service.store().snapshot();
  const Page page = co_await list_page(
      *snapshot, context, request.next_token, request.limit, request.log_group_name_prefix.value_or(""),
      [&](std::string_view name) { return name.find(pattern) != std::string_view::npos; });
  for (const LogGroup& group : page.groups) {
    shapes::LogGroup& shown = out.log_groups->emplace_back();
    shown.log_group_name = group.address.name;
    shown.creation_time = milliseconds(group.created);
    shown.retention_in_days = group.retention_days;
    shown.metric_filter_count = static_cast<int32_t>(group.metric_filters.size());
    shown.arn = group.arn() + ":*";
    shown.log_group_arn = group.arn();
    shown.log_group_class = shapes::LogGroupClass::kStandard;
    shown.stored_bytes = co_await stored_bytes(*snapshot, group);
  }
  out.next_token = page.next_token;
  co_return out;
}

Task<shapes::ListLogGroupsOutput> list_log_groups(Service& service, wire::Context& context,
                                                  const shapes::ListLogGroupsInput& request) {
  shapes::ListLogGroupsOutput out;
  out.log_groups.emplace();
  const Accepts accepts =
      request.log_group_name_pattern ? named_like(*request.log_group_name_pattern) : [](std::string_view) { return true; };
  if (asks_for_others(request.log_group_class)) co_return out;
  const auto snapshot = service.store().snapshot();
  const Page page = co_await list_page(*snapshot, context, request.next_token, request.limit, "", accepts);
  for (const LogGroup& group : page.groups) {
    out.log_groups->push_back({.log_group_name = group.address.name,
                               .log_group_arn = group.arn(),
                               .log_group_class = std::string(shapes::LogGroupClass::kStandard)});
  }
  out.next_token = page.next_token;
  co_return out;
}

}  // namespace tidemill::logs

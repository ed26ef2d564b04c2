// Puts, describes and deletes the subscription filters of groups.
#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/patterns.h"
#include "services/logs/subscription_queue.h"
#include "services/logs/subscription_target.h"
#include "wire/arn.h"

namespace tidemill::logs {
namespace {

using base::cat;

constexpr int kFiltersByDefault = 50;

wire::Error refused(std::string message) { return errors::invalid_parameter_exception(std::move(message)); }

// Throws InvalidParameterException for what is no destination.
void check_destination(const wire::Context& context, const SubscriptionFilter& filter) {
  const auto arn = wire::parse_arn(filter.destination);
  if (!arn) throw refused("Invalid destinationArn specified");
  const std::string vendor(arn->service);
  const bool is_function = vendor == "lambda" && arn->resource.starts_with("function:");
  const bool is_stream = vendor == "kinesis" && arn->resource.starts_with("stream/");
  if (vendor == "firehose" || vendor == "logs" || vendor == "es") {
    throw refused(cat("Tidemill does not support the destination ", filter.destination,
                      ": there are functions and data streams"));
  }
  if (!is_function && !is_stream) {
    throw refused(cat("PutSubscriptionFilter operation cannot work with destinationArn for vendor ", vendor));
  }
  if (is_function && !filter.role.empty()) {
    throw refused("destinationArn for vendor lambda cannot be used with roleArn");
  }
  if (is_stream && filter.role.empty()) {
    throw refused("destinationArn for vendor kinesis cannot be used without roleArn");
  }
  if (is_stream) check_role(filter.role);
  if (arn->account != context.account || arn->region != context.region) {
    throw refused(cat("Tidemill does not support the destination ", filter.destination,
                      ": it must be in the account and region of its log group"));
  }
}

SubscriptionFilter filter_of(const wire::Context& context, const shapes::PutSubscriptionFilterInput& request) {
  SubscriptionFilter filter{.name = request.filter_name,
                            .pattern_text = request.filter_pattern,
                            .created = context.now(),
                            .destination = request.destination_arn,
                            .role = request.role_arn.value_or(""),
                            .is_random = request.distribution == shapes::Distribution::kRandom};
  (void)parse_pattern(filter.pattern_text);
  check_destination(context, filter);
  return filter;
}

shapes::SubscriptionFilter describe(const LogGroup& group, const SubscriptionFilter& filter) {
  namespace Distribution = shapes::Distribution;
  shapes::SubscriptionFilter out{.filter_name = filter.name,
                                 .log_group_name = group.address.name,
                                 .filter_pattern = filter.pattern_text,
                                 .destination_arn = filter.destination};
  if (!filter.role.empty()) out.role_arn = filter.role;
  out.distribution = std::string(filter.is_random ? Distribution::kRandom : Distribution::kByLogStream);
  out.apply_on_transformed_logs = false;
  out.creation_time = milliseconds(filter.created);
  return out;
}

// Its place among the group's, by name.
auto place_of(std::vector<SubscriptionFilter>& filters, std::string_view name) {
  return std::ranges::lower_bound(filters, name, {},
                                  [](const SubscriptionFilter& filter) -> std::string_view { return filter.name; });
}

}  // namespace

Task<shapes::PutSubscriptionFilterOutput> put_subscription_filter(Service& service, wire::Context& context,
                                                                  const shapes::PutSubscriptionFilterInput& request) {
  const SubscriptionFilter filter = filter_of(context, request);
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  const LogGroupPtr before = co_await service.groups().get(*service.store().snapshot(), address);
  const bool is_there = std::ranges::find(before->subscription_filters, filter.name, &SubscriptionFilter::name) !=
                        before->subscription_filters.end();
  if (!is_there && before->subscription_filters.size() >= kSubscriptionFiltersMax) {
    throw errors::limit_exceeded_exception("Resource limit exceeded.");
  }
  co_await try_destination(context, filter, before->arn());
  co_await service.change_group(address, [&](store::Transaction&, LogGroup& group) -> Task<void> {
    auto& filters = group.subscription_filters;
    const auto place = place_of(filters, filter.name);
    if (place != filters.end() && place->name == filter.name) {
      const base::Time created = place->created;
      *place = filter;
      place->created = created;
    } else if (filters.size() >= kSubscriptionFiltersMax) {
      throw errors::limit_exceeded_exception("Resource limit exceeded.");
    } else {
      filters.insert(place, filter);
    }
    co_return;
  });
  co_return shapes::PutSubscriptionFilterOutput{};
}

Task<shapes::DescribeSubscriptionFiltersOutput> describe_subscription_filters(
    Service& service, wire::Context& context, const shapes::DescribeSubscriptionFiltersInput& request) {
  const auto after = request.next_token ? base::base64_decode(*request.next_token) : std::string();
  if (!after) throw invalid_next_token();
  const auto count_max = static_cast<size_t>(request.limit.value_or(kFiltersByDefault));
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  const LogGroupPtr group = co_await service.groups().get(*service.store().snapshot(), address);
  shapes::DescribeSubscriptionFiltersOutput out;
  auto& found = out.subscription_filters.emplace();
  for (const SubscriptionFilter& filter : group->subscription_filters) {
    if (!filter.name.starts_with(request.filter_name_prefix.value_or("")) || filter.name <= *after) continue;
    if (found.size() == count_max) {
      out.next_token = base::base64_encode(*found.back().filter_name);
      break;
    }
    found.push_back(describe(*group, filter));
  }
  co_return out;
}

Task<shapes::DeleteSubscriptionFilterOutput> delete_subscription_filter(
    Service& service, wire::Context& context, const shapes::DeleteSubscriptionFilterInput& request) {
  co_await service.change_group(
      group_called(context, request.log_group_name), [&](store::Transaction& txn, LogGroup& group) -> Task<void> {
        auto& filters = group.subscription_filters;
        const auto place = place_of(filters, request.filter_name);
        if (place == filters.end() || place->name != request.filter_name) {
          throw errors::resource_not_found_exception("The specified subscription filter does not exist.");
        }
        filters.erase(place);
        erase_documents(txn, group.id, request.filter_name);
        co_return;
      });
  co_return shapes::DeleteSubscriptionFilterOutput{};
}

}  // namespace tidemill::logs

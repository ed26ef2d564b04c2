#include "services/logs/service.h"

#include "services/logs/export_run.h"
#include "services/logs/metric_values.h"
#include "services/logs/operations.h"
#include "services/logs/retention.h"
#include "services/logs/subscription_target.h"

namespace tidemill::logs {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateLogGroup{}, create_log_group);
  add(ops::DeleteLogGroup{}, delete_log_group);
  add(ops::DescribeLogGroups{}, describe_log_groups);
  add(ops::ListLogGroups{}, list_log_groups);
  add(ops::PutRetentionPolicy{}, put_retention_policy);
  add(ops::DeleteRetentionPolicy{}, delete_retention_policy);
  add(ops::TagLogGroup{}, tag_log_group);
  add(ops::UntagLogGroup{}, untag_log_group);
  add(ops::ListTagsLogGroup{}, list_tags_log_group);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  add(ops::CreateLogStream{}, create_log_stream);
  add(ops::DeleteLogStream{}, delete_log_stream);
  add(ops::DescribeLogStreams{}, describe_log_streams);
  add(ops::PutLogEvents{}, put_log_events);
  add(ops::GetLogEvents{}, get_log_events);
  add(ops::FilterLogEvents{}, filter_log_events);
  add(ops::StartLiveTail{}, start_live_tail);
  add(ops::TestMetricFilter{}, test_metric_filter);
  add(ops::PutMetricFilter{}, put_metric_filter);
  add(ops::DescribeMetricFilters{}, describe_metric_filters);
  add(ops::DeleteMetricFilter{}, delete_metric_filter);
  add(ops::PutSubscriptionFilter{}, put_subscription_filter);
  add(ops::DescribeSubscriptionFilters{}, describe_subscription_filters);
  add(ops::DeleteSubscriptionFilter{}, delete_subscription_filter);
  add(ops::CreateExportTask{}, create_export_task);
  add(ops::CancelExportTask{}, cancel_export_task);
  add(ops::DescribeExportTasks{}, describe_export_tasks);
  add(ops::StartQuery{}, start_query);
  add(ops::StopQuery{}, stop_query);
  add(ops::GetQueryResults{}, get_query_results);
  add(ops::DescribeQueries{}, describe_queries);
  add(ops::GetLogRecord{}, get_log_record);
  add(ops::PutQueryDefinition{}, put_query_definition);
  add(ops::DescribeQueryDefinitions{}, describe_query_definitions);
  add(ops::DeleteQueryDefinition{}, delete_query_definition);
  add(ops::PutResourcePolicy{}, put_resource_policy);
  add(ops::DescribeResourcePolicies{}, describe_resource_policies);
  add(ops::DeleteResourcePolicy{}, delete_resource_policy);
  registry.refuse(shapes::refused_operations());
}

void Service::register_senders(engine::Deliveries& deliveries, wire::Platform& platform) {
  deliveries.send_with(kMetricTarget, [&platform](const store::Delivery& delivery) {
    return put_metric_values(platform, delivery);
  });
  deliveries.send_with(kSubscribedFunctionTarget, [&platform](const store::Delivery& delivery) {
    return invoke_subscribed(platform, delivery);
  });
}

void Service::register_timers(engine::TimerService& timers, wire::Platform& platform) {
  timers.handle(kRetentionTimer, [this](const store::Timer& timer) { return forget_outlived(*this, timer); },
                {.purpose = base::Purpose::housekeeping});
  subscriptions_.emplace(platform);
  timers.handle(kSubscriptionTimer, [this, &timers](const store::Timer& timer) {
    return subscriptions_->deliver(timer, timers.tenure(kSubscriptionTimer));
  });
  timers.handle(kExportTimer, [this, &timers, &platform](const store::Timer& timer) {
    return go_on_exporting(*this, platform, timer, timers.tenure(kExportTimer));
  });
  timers.handle(
      kQueryTimer,
      [this, &timers](const store::Timer& timer) { return go_on_with_query(*this, timer, timers.tenure(kQueryTimer)); },
      {.concurrent_max = kQueriesAtOnceMax});
}

}  // namespace tidemill::logs

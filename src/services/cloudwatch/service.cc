#include "services/cloudwatch/service.h"

#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/composite_change.h"
#include "services/cloudwatch/evaluate_alarm.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/retention.h"

namespace tidemill::cloudwatch {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::PutMetricData{}, put_metric_data);
  add(ops::GetMetricStatistics{}, get_metric_statistics);
  add(ops::GetMetricData{}, get_metric_data);
  add(ops::ListMetrics{}, list_metrics);
  add(ops::PutMetricAlarm{}, put_metric_alarm);
  add(ops::PutCompositeAlarm{}, put_composite_alarm);
  add(ops::DescribeAlarms{}, describe_alarms);
  add(ops::DescribeAlarmsForMetric{}, describe_alarms_for_metric);
  add(ops::DescribeAlarmHistory{}, describe_alarm_history);
  add(ops::DeleteAlarms{}, delete_alarms);
  add(ops::SetAlarmState{}, set_alarm_state);
  add(ops::EnableAlarmActions{}, enable_alarm_actions);
  add(ops::DisableAlarmActions{}, disable_alarm_actions);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  add(ops::PutDashboard{}, put_dashboard);
  add(ops::GetDashboard{}, get_dashboard);
  add(ops::ListDashboards{}, list_dashboards);
  add(ops::DeleteDashboards{}, delete_dashboards);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) {
  timers.handle(kRetentionTimer, [this](const store::Timer& timer) { return forget_outlived(store_, clock_, timer); },
                {.purpose = base::Purpose::housekeeping});
  timers.handle(kEvaluationTimer, [this](const store::Timer& timer) { return evaluate_alarm(*this, timer); });
  timers.handle(kCompositeTimer, [this](const store::Timer& timer) { return evaluate_composite(*this, timer); });
}

}  // namespace tidemill::cloudwatch

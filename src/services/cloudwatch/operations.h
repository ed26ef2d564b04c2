// Every operation of CloudWatch, each in the file of its name. Shapes: models/cloudwatch.smithy; docs/cloudwatch.md
// says what works.
#pragma once

#include "base/task.h"
#include "services/cloudwatch/service.h"
#include "wire/context.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::cloudwatch {

Task<shapes::PutMetricDataOutput> put_metric_data(Service&, wire::Context&, const shapes::PutMetricDataInput&);
Task<shapes::GetMetricStatisticsOutput> get_metric_statistics(Service&, wire::Context&,
                                                              const shapes::GetMetricStatisticsInput&);
Task<shapes::GetMetricDataOutput> get_metric_data(Service&, wire::Context&, const shapes::GetMetricDataInput&);
Task<shapes::ListMetricsOutput> list_metrics(Service&, wire::Context&, const shapes::ListMetricsInput&);

// Alarms: put_metric_alarm.cc, put_composite_alarm.cc, describe_alarms.cc, alarms.cc.
Task<shapes::PutCompositeAlarmOutput> put_composite_alarm(Service&, wire::Context&,
                                                          const shapes::PutCompositeAlarmInput&);
Task<shapes::PutMetricAlarmOutput> put_metric_alarm(Service&, wire::Context&, const shapes::PutMetricAlarmInput&);
Task<shapes::DescribeAlarmsOutput> describe_alarms(Service&, wire::Context&, const shapes::DescribeAlarmsInput&);
Task<shapes::DescribeAlarmsForMetricOutput> describe_alarms_for_metric(Service&, wire::Context&,
                                                                       const shapes::DescribeAlarmsForMetricInput&);
Task<shapes::DescribeAlarmHistoryOutput> describe_alarm_history(Service&, wire::Context&,
                                                                const shapes::DescribeAlarmHistoryInput&);
Task<shapes::DeleteAlarmsOutput> delete_alarms(Service&, wire::Context&, const shapes::DeleteAlarmsInput&);
Task<shapes::SetAlarmStateOutput> set_alarm_state(Service&, wire::Context&, const shapes::SetAlarmStateInput&);
Task<shapes::EnableAlarmActionsOutput> enable_alarm_actions(Service&, wire::Context&,
                                                            const shapes::EnableAlarmActionsInput&);
Task<shapes::DisableAlarmActionsOutput> disable_alarm_actions(Service&, wire::Context&,
                                                              const shapes::DisableAlarmActionsInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

// Dashboards: dashboards.cc.
Task<shapes::PutDashboardOutput> put_dashboard(Service&, wire::Context&, const shapes::PutDashboardInput&);
Task<shapes::GetDashboardOutput> get_dashboard(Service&, wire::Context&, const shapes::GetDashboardInput&);
Task<shapes::ListDashboardsOutput> list_dashboards(Service&, wire::Context&, const shapes::ListDashboardsInput&);
Task<shapes::DeleteDashboardsOutput> delete_dashboards(Service&, wire::Context&, const shapes::DeleteDashboardsInput&);

}  // namespace tidemill::cloudwatch

// Every operation of CloudWatch Logs, each in the file of its name or of its family. Shapes: models/logs.smithy;
// docs/logs.md says what works.
#pragma once

#include "base/task.h"
#include "services/logs/service.h"
#include "wire/context.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

namespace shapes = wire::logs;

// Groups: log_groups.cc, describe_log_groups.cc, retention_policy.cc, tags.cc.
Task<shapes::CreateLogGroupOutput> create_log_group(Service&, wire::Context&, const shapes::CreateLogGroupInput&);
Task<shapes::DeleteLogGroupOutput> delete_log_group(Service&, wire::Context&, const shapes::DeleteLogGroupInput&);
Task<shapes::DescribeLogGroupsOutput> describe_log_groups(Service&, wire::Context&,
                                                          const shapes::DescribeLogGroupsInput&);
Task<shapes::ListLogGroupsOutput> list_log_groups(Service&, wire::Context&, const shapes::ListLogGroupsInput&);
Task<shapes::PutRetentionPolicyOutput> put_retention_policy(Service&, wire::Context&,
                                                            const shapes::PutRetentionPolicyInput&);
Task<shapes::DeleteRetentionPolicyOutput> delete_retention_policy(Service&, wire::Context&,
                                                                  const shapes::DeleteRetentionPolicyInput&);
Task<shapes::TagLogGroupOutput> tag_log_group(Service&, wire::Context&, const shapes::TagLogGroupInput&);
Task<shapes::UntagLogGroupOutput> untag_log_group(Service&, wire::Context&, const shapes::UntagLogGroupInput&);
Task<shapes::ListTagsLogGroupOutput> list_tags_log_group(Service&, wire::Context&,
                                                         const shapes::ListTagsLogGroupInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

// Streams: log_streams.cc, describe_log_streams.cc.
Task<shapes::CreateLogStreamOutput> create_log_stream(Service&, wire::Context&, const shapes::CreateLogStreamInput&);
Task<shapes::DeleteLogStreamOutput> delete_log_stream(Service&, wire::Context&, const shapes::DeleteLogStreamInput&);
Task<shapes::DescribeLogStreamsOutput> describe_log_streams(Service&, wire::Context&,
                                                            const shapes::DescribeLogStreamsInput&);

// Events.
Task<shapes::PutLogEventsOutput> put_log_events(Service&, wire::Context&, const shapes::PutLogEventsInput&);
Task<shapes::GetLogEventsOutput> get_log_events(Service&, wire::Context&, const shapes::GetLogEventsInput&);
Task<shapes::FilterLogEventsOutput> filter_log_events(Service&, wire::Context&, const shapes::FilterLogEventsInput&);
Task<shapes::StartLiveTailOutput> start_live_tail(Service&, wire::Context&, const shapes::StartLiveTailInput&);
Task<shapes::TestMetricFilterOutput> test_metric_filter(Service&, wire::Context&,
                                                        const shapes::TestMetricFilterInput&);

// Metric filters: metric_filters.cc.
Task<shapes::PutMetricFilterOutput> put_metric_filter(Service&, wire::Context&, const shapes::PutMetricFilterInput&);
Task<shapes::DescribeMetricFiltersOutput> describe_metric_filters(Service&, wire::Context&,
                                                                  const shapes::DescribeMetricFiltersInput&);
Task<shapes::DeleteMetricFilterOutput> delete_metric_filter(Service&, wire::Context&,
                                                            const shapes::DeleteMetricFilterInput&);

// Subscription filters: subscription_filters.cc.
Task<shapes::PutSubscriptionFilterOutput> put_subscription_filter(Service&, wire::Context&,
                                                                  const shapes::PutSubscriptionFilterInput&);
Task<shapes::DescribeSubscriptionFiltersOutput> describe_subscription_filters(
    Service&, wire::Context&, const shapes::DescribeSubscriptionFiltersInput&);
Task<shapes::DeleteSubscriptionFilterOutput> delete_subscription_filter(Service&, wire::Context&,
                                                                        const shapes::DeleteSubscriptionFilterInput&);

// Exports: export_tasks.cc.
Task<shapes::CreateExportTaskOutput> create_export_task(Service&, wire::Context&,
                                                        const shapes::CreateExportTaskInput&);
Task<shapes::CancelExportTaskOutput> cancel_export_task(Service&, wire::Context&,
                                                        const shapes::CancelExportTaskInput&);
Task<shapes::DescribeExportTasksOutput> describe_export_tasks(Service&, wire::Context&,
                                                              const shapes::DescribeExportTasksInput&);

// Queries: queries.cc, query_definitions.cc.
Task<shapes::StartQueryOutput> start_query(Service&, wire::Context&, const shapes::StartQueryInput&);
Task<shapes::StopQueryOutput> stop_query(Service&, wire::Context&, const shapes::StopQueryInput&);
Task<shapes::GetQueryResultsOutput> get_query_results(Service&, wire::Context&, const shapes::GetQueryResultsInput&);
Task<shapes::DescribeQueriesOutput> describe_queries(Service&, wire::Context&, const shapes::DescribeQueriesInput&);
Task<shapes::GetLogRecordOutput> get_log_record(Service&, wire::Context&, const shapes::GetLogRecordInput&);
Task<shapes::PutQueryDefinitionOutput> put_query_definition(Service&, wire::Context&,
                                                            const shapes::PutQueryDefinitionInput&);
Task<shapes::DescribeQueryDefinitionsOutput> describe_query_definitions(
    Service&, wire::Context&, const shapes::DescribeQueryDefinitionsInput&);
Task<shapes::DeleteQueryDefinitionOutput> delete_query_definition(Service&, wire::Context&,
                                                                  const shapes::DeleteQueryDefinitionInput&);

// Resource policies: resource_policies.cc.
Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service&, wire::Context&,
                                                          const shapes::PutResourcePolicyInput&);
Task<shapes::DescribeResourcePoliciesOutput> describe_resource_policies(Service&, wire::Context&,
                                                                        const shapes::DescribeResourcePoliciesInput&);
Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service&, wire::Context&,
                                                                const shapes::DeleteResourcePolicyInput&);

}  // namespace tidemill::logs

// Every operation of EventBridge, each in the file of its name or family. Shapes: models/events.smithy; docs/events.md
// says what works.
#pragma once

#include "base/task.h"
#include "services/events/service.h"
#include "wire/context.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

namespace shapes = wire::events;

// Buses.
Task<shapes::CreateEventBusOutput> create_event_bus(Service&, wire::Context&, const shapes::CreateEventBusInput&);
Task<shapes::DescribeEventBusOutput> describe_event_bus(Service&, wire::Context&, const shapes::DescribeEventBusInput&);
Task<shapes::ListEventBusesOutput> list_event_buses(Service&, wire::Context&, const shapes::ListEventBusesInput&);
Task<shapes::UpdateEventBusOutput> update_event_bus(Service&, wire::Context&, const shapes::UpdateEventBusInput&);
Task<shapes::DeleteEventBusOutput> delete_event_bus(Service&, wire::Context&, const shapes::DeleteEventBusInput&);
Task<shapes::PutPermissionOutput> put_permission(Service&, wire::Context&, const shapes::PutPermissionInput&);
Task<shapes::RemovePermissionOutput> remove_permission(Service&, wire::Context&, const shapes::RemovePermissionInput&);

// Rules.
Task<shapes::PutRuleOutput> put_rule(Service&, wire::Context&, const shapes::PutRuleInput&);
Task<shapes::DescribeRuleOutput> describe_rule(Service&, wire::Context&, const shapes::DescribeRuleInput&);
Task<shapes::ListRulesOutput> list_rules(Service&, wire::Context&, const shapes::ListRulesInput&);
Task<shapes::EnableRuleOutput> enable_rule(Service&, wire::Context&, const shapes::EnableRuleInput&);
Task<shapes::DisableRuleOutput> disable_rule(Service&, wire::Context&, const shapes::DisableRuleInput&);
Task<shapes::DeleteRuleOutput> delete_rule(Service&, wire::Context&, const shapes::DeleteRuleInput&);

// Targets.
Task<shapes::PutTargetsOutput> put_targets(Service&, wire::Context&, const shapes::PutTargetsInput&);
Task<shapes::RemoveTargetsOutput> remove_targets(Service&, wire::Context&, const shapes::RemoveTargetsInput&);
Task<shapes::ListTargetsByRuleOutput> list_targets_by_rule(Service&, wire::Context&,
                                                           const shapes::ListTargetsByRuleInput&);
Task<shapes::ListRuleNamesByTargetOutput> list_rule_names_by_target(Service&, wire::Context&,
                                                                    const shapes::ListRuleNamesByTargetInput&);

// Events.
Task<shapes::PutEventsOutput> put_events(Service&, wire::Context&, const shapes::PutEventsInput&);
Task<shapes::TestEventPatternOutput> test_event_pattern(Service&, wire::Context&, const shapes::TestEventPatternInput&);

// Tags of buses and rules.
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

// Archives and replays.
Task<shapes::CreateArchiveOutput> create_archive(Service&, wire::Context&, const shapes::CreateArchiveInput&);
Task<shapes::DescribeArchiveOutput> describe_archive(Service&, wire::Context&, const shapes::DescribeArchiveInput&);
Task<shapes::ListArchivesOutput> list_archives(Service&, wire::Context&, const shapes::ListArchivesInput&);
Task<shapes::UpdateArchiveOutput> update_archive(Service&, wire::Context&, const shapes::UpdateArchiveInput&);
Task<shapes::DeleteArchiveOutput> delete_archive(Service&, wire::Context&, const shapes::DeleteArchiveInput&);
Task<shapes::StartReplayOutput> start_replay(Service&, wire::Context&, const shapes::StartReplayInput&);
Task<shapes::DescribeReplayOutput> describe_replay(Service&, wire::Context&, const shapes::DescribeReplayInput&);
Task<shapes::ListReplaysOutput> list_replays(Service&, wire::Context&, const shapes::ListReplaysInput&);
Task<shapes::CancelReplayOutput> cancel_replay(Service&, wire::Context&, const shapes::CancelReplayInput&);

// Connections and API destinations.
Task<shapes::CreateConnectionOutput> create_connection(Service&, wire::Context&, const shapes::CreateConnectionInput&);
Task<shapes::DescribeConnectionOutput> describe_connection(Service&, wire::Context&,
                                                           const shapes::DescribeConnectionInput&);
Task<shapes::ListConnectionsOutput> list_connections(Service&, wire::Context&, const shapes::ListConnectionsInput&);
Task<shapes::UpdateConnectionOutput> update_connection(Service&, wire::Context&, const shapes::UpdateConnectionInput&);
Task<shapes::DeauthorizeConnectionOutput> deauthorize_connection(Service&, wire::Context&,
                                                                 const shapes::DeauthorizeConnectionInput&);
Task<shapes::DeleteConnectionOutput> delete_connection(Service&, wire::Context&, const shapes::DeleteConnectionInput&);
Task<shapes::CreateApiDestinationOutput> create_api_destination(Service&, wire::Context&,
                                                                const shapes::CreateApiDestinationInput&);
Task<shapes::DescribeApiDestinationOutput> describe_api_destination(Service&, wire::Context&,
                                                                    const shapes::DescribeApiDestinationInput&);
Task<shapes::ListApiDestinationsOutput> list_api_destinations(Service&, wire::Context&,
                                                              const shapes::ListApiDestinationsInput&);
Task<shapes::UpdateApiDestinationOutput> update_api_destination(Service&, wire::Context&,
                                                                const shapes::UpdateApiDestinationInput&);
Task<shapes::DeleteApiDestinationOutput> delete_api_destination(Service&, wire::Context&,
                                                                const shapes::DeleteApiDestinationInput&);
Task<shapes::InvokeApiDestinationOutput> invoke_api_destination(Service&, wire::Context&,
                                                                const shapes::InvokeApiDestinationInput&);

}  // namespace tidemill::events

#include "services/events/service.h"

#include "services/events/archive.h"
#include "services/events/operations.h"
#include "services/events/replay.h"
#include "services/events/schedule.h"

namespace tidemill::events {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateEventBus{}, create_event_bus);
  add(ops::DescribeEventBus{}, describe_event_bus);
  add(ops::ListEventBuses{}, list_event_buses);
  add(ops::UpdateEventBus{}, update_event_bus);
  add(ops::DeleteEventBus{}, delete_event_bus);
  add(ops::PutPermission{}, put_permission);
  add(ops::RemovePermission{}, remove_permission);
  add(ops::PutRule{}, put_rule);
  add(ops::DescribeRule{}, describe_rule);
  add(ops::ListRules{}, list_rules);
  add(ops::EnableRule{}, enable_rule);
  add(ops::DisableRule{}, disable_rule);
  add(ops::DeleteRule{}, delete_rule);
  add(ops::PutTargets{}, put_targets);
  add(ops::RemoveTargets{}, remove_targets);
  add(ops::ListTargetsByRule{}, list_targets_by_rule);
  add(ops::ListRuleNamesByTarget{}, list_rule_names_by_target);
  add(ops::PutEvents{}, put_events);
  add(ops::TestEventPattern{}, test_event_pattern);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  add(ops::CreateArchive{}, create_archive);
  add(ops::DescribeArchive{}, describe_archive);
  add(ops::ListArchives{}, list_archives);
  add(ops::UpdateArchive{}, update_archive);
  add(ops::DeleteArchive{}, delete_archive);
  add(ops::StartReplay{}, start_replay);
  add(ops::DescribeReplay{}, describe_replay);
  add(ops::ListReplays{}, list_replays);
  add(ops::CancelReplay{}, cancel_replay);
  add(ops::CreateConnection{}, create_connection);
  add(ops::DescribeConnection{}, describe_connection);
  add(ops::ListConnections{}, list_connections);
  add(ops::UpdateConnection{}, update_connection);
  add(ops::DeauthorizeConnection{}, deauthorize_connection);
  add(ops::DeleteConnection{}, delete_connection);
  add(ops::CreateApiDestination{}, create_api_destination);
  add(ops::DescribeApiDestination{}, describe_api_destination);
  add(ops::ListApiDestinations{}, list_api_destinations);
  add(ops::UpdateApiDestination{}, update_api_destination);
  add(ops::DeleteApiDestination{}, delete_api_destination);
  add(ops::InvokeApiDestination{}, invoke_api_destination);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers, engine::Deliveries& deliveries) {
  sending_.register_with(deliveries);
  sending_.api_caller().tokens().register_with(timers);
  run_schedules_by(timers, *this);
  trim_archives_by(timers, store(), clock());
  run_replays_by(timers, *this);
}

}  // namespace tidemill::events

#include "services/states/service.h"

#include "services/states/operations.h"
#include "services/states/status_lists.h"

namespace tidemill::states {

Service::Service(wire::Platform& platform, std::unique_ptr<tasks::Caller> caller, ServiceOptions options)
    : platform_(platform), caller_(std::move(caller)), evaluations_(options.evaluates_on_threads),
      running_(platform, *caller_, machines_, evaluations_), express_(platform, *caller_, machines_, evaluations_),
      map_runs_(platform, running_, express_, evaluations_), logs_(platform, machines_),
      polls_(options.polls_end_in_real_time) {}

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateStateMachine{}, create_state_machine);
  add(ops::DescribeStateMachine{}, describe_state_machine);
  add(ops::UpdateStateMachine{}, update_state_machine);
  add(ops::DeleteStateMachine{}, delete_state_machine);
  add(ops::ListStateMachines{}, list_state_machines);
  add(ops::ValidateStateMachineDefinition{}, validate_state_machine_definition);
  add(ops::TestState{}, test_state);
  add(ops::PublishStateMachineVersion{}, publish_state_machine_version);
  add(ops::DeleteStateMachineVersion{}, delete_state_machine_version);
  add(ops::ListStateMachineVersions{}, list_state_machine_versions);
  add(ops::CreateStateMachineAlias{}, create_state_machine_alias);
  add(ops::DescribeStateMachineAlias{}, describe_state_machine_alias);
  add(ops::UpdateStateMachineAlias{}, update_state_machine_alias);
  add(ops::DeleteStateMachineAlias{}, delete_state_machine_alias);
  add(ops::ListStateMachineAliases{}, list_state_machine_aliases);
  add(ops::StartExecution{}, start_execution);
  add(ops::StartSyncExecution{}, start_sync_execution);
  add(ops::StopExecution{}, stop_execution);
  add(ops::RedriveExecution{}, redrive_execution);
  add(ops::DescribeExecution{}, describe_execution);
  add(ops::DescribeStateMachineForExecution{}, describe_state_machine_for_execution);
  add(ops::ListExecutions{}, list_executions);
  add(ops::GetExecutionHistory{}, get_execution_history);
  add(ops::DescribeMapRun{}, describe_map_run);
  add(ops::UpdateMapRun{}, update_map_run);
  add(ops::ListMapRuns{}, list_map_runs);
  add(ops::CreateActivity{}, create_activity);
  add(ops::DescribeActivity{}, describe_activity);
  add(ops::DeleteActivity{}, delete_activity);
  add(ops::ListActivities{}, list_activities);
  add(ops::GetActivityTask{}, get_activity_task);
  add(ops::SendTaskSuccess{}, send_task_success);
  add(ops::SendTaskFailure{}, send_task_failure);
  add(ops::SendTaskHeartbeat{}, send_task_heartbeat);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) {
  running_.register_with(timers);
  express_.register_with(timers);
  map_runs_.register_with(timers);
  logs_.register_with(timers);
  timers.handle(store::TimerKind{kRelistTimer},
                [this](const store::Timer& timer) { return relist(platform_.store, platform_.clock, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<void> Service::start() { co_await begin_relisting(platform_.store, platform_.clock); }

}  // namespace tidemill::states

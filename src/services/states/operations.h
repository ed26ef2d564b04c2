// Every operation of Step Functions; each is defined in the file of its group.
#pragma once

#include "base/task.h"
#include "services/states/service.h"
#include "wire/context.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace shapes = wire::states;

// State machines: state_machines.cc, definitions.cc, test_state.cc.
Task<shapes::CreateStateMachineOutput> create_state_machine(Service&, wire::Context&,
                                                            const shapes::CreateStateMachineInput&);
Task<shapes::DescribeStateMachineOutput> describe_state_machine(Service&, wire::Context&,
                                                                const shapes::DescribeStateMachineInput&);
Task<shapes::UpdateStateMachineOutput> update_state_machine(Service&, wire::Context&,
                                                            const shapes::UpdateStateMachineInput&);
Task<shapes::DeleteStateMachineOutput> delete_state_machine(Service&, wire::Context&,
                                                            const shapes::DeleteStateMachineInput&);
Task<shapes::ListStateMachinesOutput> list_state_machines(Service&, wire::Context&,
                                                          const shapes::ListStateMachinesInput&);
Task<shapes::ValidateStateMachineDefinitionOutput> validate_state_machine_definition(
    Service&, wire::Context&, const shapes::ValidateStateMachineDefinitionInput&);
Task<shapes::TestStateOutput> test_state(Service&, wire::Context&, const shapes::TestStateInput&);

// Versions and aliases: versions.cc, aliases.cc.
Task<shapes::PublishStateMachineVersionOutput> publish_state_machine_version(
    Service&, wire::Context&, const shapes::PublishStateMachineVersionInput&);
Task<shapes::DeleteStateMachineVersionOutput> delete_state_machine_version(
    Service&, wire::Context&, const shapes::DeleteStateMachineVersionInput&);
Task<shapes::ListStateMachineVersionsOutput> list_state_machine_versions(Service&, wire::Context&,
                                                                         const shapes::ListStateMachineVersionsInput&);
Task<shapes::CreateStateMachineAliasOutput> create_state_machine_alias(Service&, wire::Context&,
                                                                       const shapes::CreateStateMachineAliasInput&);
Task<shapes::DescribeStateMachineAliasOutput> describe_state_machine_alias(
    Service&, wire::Context&, const shapes::DescribeStateMachineAliasInput&);
Task<shapes::UpdateStateMachineAliasOutput> update_state_machine_alias(Service&, wire::Context&,
                                                                       const shapes::UpdateStateMachineAliasInput&);
Task<shapes::DeleteStateMachineAliasOutput> delete_state_machine_alias(Service&, wire::Context&,
                                                                       const shapes::DeleteStateMachineAliasInput&);
Task<shapes::ListStateMachineAliasesOutput> list_state_machine_aliases(Service&, wire::Context&,
                                                                       const shapes::ListStateMachineAliasesInput&);

// Executions: executions.cc, execution_lists.cc.
Task<shapes::StartExecutionOutput> start_execution(Service&, wire::Context&, const shapes::StartExecutionInput&);
Task<shapes::StartSyncExecutionOutput> start_sync_execution(Service&, wire::Context&,
                                                            const shapes::StartSyncExecutionInput&);
Task<shapes::StopExecutionOutput> stop_execution(Service&, wire::Context&, const shapes::StopExecutionInput&);
Task<shapes::RedriveExecutionOutput> redrive_execution(Service&, wire::Context&, const shapes::RedriveExecutionInput&);
Task<shapes::DescribeExecutionOutput> describe_execution(Service&, wire::Context&,
                                                         const shapes::DescribeExecutionInput&);
Task<shapes::DescribeStateMachineForExecutionOutput> describe_state_machine_for_execution(
    Service&, wire::Context&, const shapes::DescribeStateMachineForExecutionInput&);
Task<shapes::ListExecutionsOutput> list_executions(Service&, wire::Context&, const shapes::ListExecutionsInput&);
Task<shapes::GetExecutionHistoryOutput> get_execution_history(Service&, wire::Context&,
                                                              const shapes::GetExecutionHistoryInput&);

// Map runs: map_run_operations.cc.
Task<shapes::DescribeMapRunOutput> describe_map_run(Service&, wire::Context&, const shapes::DescribeMapRunInput&);
Task<shapes::UpdateMapRunOutput> update_map_run(Service&, wire::Context&, const shapes::UpdateMapRunInput&);
Task<shapes::ListMapRunsOutput> list_map_runs(Service&, wire::Context&, const shapes::ListMapRunsInput&);

// Activities and answers to tasks: activities.cc, task_answers.cc.
Task<shapes::CreateActivityOutput> create_activity(Service&, wire::Context&, const shapes::CreateActivityInput&);
Task<shapes::DescribeActivityOutput> describe_activity(Service&, wire::Context&, const shapes::DescribeActivityInput&);
Task<shapes::DeleteActivityOutput> delete_activity(Service&, wire::Context&, const shapes::DeleteActivityInput&);
Task<shapes::ListActivitiesOutput> list_activities(Service&, wire::Context&, const shapes::ListActivitiesInput&);
Task<shapes::GetActivityTaskOutput> get_activity_task(Service&, wire::Context&, const shapes::GetActivityTaskInput&);
Task<shapes::SendTaskSuccessOutput> send_task_success(Service&, wire::Context&, const shapes::SendTaskSuccessInput&);
Task<shapes::SendTaskFailureOutput> send_task_failure(Service&, wire::Context&, const shapes::SendTaskFailureInput&);
Task<shapes::SendTaskHeartbeatOutput> send_task_heartbeat(Service&, wire::Context&,
                                                          const shapes::SendTaskHeartbeatInput&);

// Tags: tags.cc.
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

}  // namespace tidemill::states

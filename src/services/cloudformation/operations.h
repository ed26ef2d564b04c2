// Every operation of CloudFormation, each in the file of its family. Shapes: models/cloudformation.smithy;
// docs/cloudformation.md says what works.
#pragma once

#include "base/task.h"
#include "services/cloudformation/service.h"
#include "wire/context.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

namespace shapes = wire::cloudformation;

Task<shapes::CreateStackOutput> create_stack(Service&, wire::Context&, const shapes::CreateStackInput&);
Task<shapes::UpdateStackOutput> update_stack(Service&, wire::Context&, const shapes::UpdateStackInput&);
Task<shapes::DeleteStackOutput> delete_stack(Service&, wire::Context&, const shapes::DeleteStackInput&);
Task<shapes::CancelUpdateStackOutput> cancel_update_stack(Service&, wire::Context&,
                                                          const shapes::CancelUpdateStackInput&);
Task<shapes::ContinueUpdateRollbackOutput> continue_update_rollback(Service&, wire::Context&,
                                                                    const shapes::ContinueUpdateRollbackInput&);
Task<shapes::RollbackStackOutput> rollback_stack(Service&, wire::Context&, const shapes::RollbackStackInput&);
Task<shapes::DescribeStacksOutput> describe_stacks(Service&, wire::Context&, const shapes::DescribeStacksInput&);
Task<shapes::ListStacksOutput> list_stacks(Service&, wire::Context&, const shapes::ListStacksInput&);
Task<shapes::UpdateTerminationProtectionOutput> update_termination_protection(Service&, wire::Context&,
                                                                              const shapes::UpdateTerminationProtectionInput&);
Task<shapes::SetStackPolicyOutput> set_stack_policy(Service&, wire::Context&, const shapes::SetStackPolicyInput&);
Task<shapes::SignalResourceOutput> signal_resource(Service&, wire::Context&, const shapes::SignalResourceInput&);
Task<shapes::GetStackPolicyOutput> get_stack_policy(Service&, wire::Context&, const shapes::GetStackPolicyInput&);
Task<shapes::DescribeStackEventsOutput> describe_stack_events(Service&, wire::Context&,
                                                              const shapes::DescribeStackEventsInput&);
Task<shapes::DescribeStackResourceOutput> describe_stack_resource(Service&, wire::Context&,
                                                                  const shapes::DescribeStackResourceInput&);
Task<shapes::DescribeStackResourcesOutput> describe_stack_resources(Service&, wire::Context&,
                                                                    const shapes::DescribeStackResourcesInput&);
Task<shapes::ListStackResourcesOutput> list_stack_resources(Service&, wire::Context&,
                                                            const shapes::ListStackResourcesInput&);
Task<shapes::GetTemplateOutput> get_template(Service&, wire::Context&, const shapes::GetTemplateInput&);
Task<shapes::GetTemplateSummaryOutput> get_template_summary(Service&, wire::Context&,
                                                            const shapes::GetTemplateSummaryInput&);
Task<shapes::ValidateTemplateOutput> validate_template(Service&, wire::Context&, const shapes::ValidateTemplateInput&);
Task<shapes::CreateChangeSetOutput> create_change_set(Service&, wire::Context&, const shapes::CreateChangeSetInput&);
Task<shapes::DescribeChangeSetOutput> describe_change_set(Service&, wire::Context&,
                                                          const shapes::DescribeChangeSetInput&);
Task<shapes::ExecuteChangeSetOutput> execute_change_set(Service&, wire::Context&, const shapes::ExecuteChangeSetInput&);
Task<shapes::DeleteChangeSetOutput> delete_change_set(Service&, wire::Context&, const shapes::DeleteChangeSetInput&);
Task<shapes::ListChangeSetsOutput> list_change_sets(Service&, wire::Context&, const shapes::ListChangeSetsInput&);
Task<shapes::ListExportsOutput> list_exports(Service&, wire::Context&, const shapes::ListExportsInput&);
Task<shapes::ListImportsOutput> list_imports(Service&, wire::Context&, const shapes::ListImportsInput&);

}  // namespace tidemill::cloudformation

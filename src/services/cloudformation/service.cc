#include "services/cloudformation/service.h"

#include "services/cloudformation/operations.h"
#include "services/cloudformation/resource_operations.h"

namespace tidemill::cloudformation {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateStack{}, create_stack);
  add(ops::UpdateStack{}, update_stack);
  add(ops::DeleteStack{}, delete_stack);
  add(ops::CancelUpdateStack{}, cancel_update_stack);
  add(ops::ContinueUpdateRollback{}, continue_update_rollback);
  add(ops::RollbackStack{}, rollback_stack);
  add(ops::DescribeStacks{}, describe_stacks);
  add(ops::ListStacks{}, list_stacks);
  add(ops::UpdateTerminationProtection{}, update_termination_protection);
  add(ops::SetStackPolicy{}, set_stack_policy);
  add(ops::GetStackPolicy{}, get_stack_policy);
  add(ops::SignalResource{}, signal_resource);
  add(ops::DescribeStackEvents{}, describe_stack_events);
  add(ops::DescribeStackResource{}, describe_stack_resource);
  add(ops::DescribeStackResources{}, describe_stack_resources);
  add(ops::ListStackResources{}, list_stack_resources);
  add(ops::GetTemplate{}, get_template);
  add(ops::GetTemplateSummary{}, get_template_summary);
  add(ops::ValidateTemplate{}, validate_template);
  add(ops::CreateChangeSet{}, create_change_set);
  add(ops::DescribeChangeSet{}, describe_change_set);
  add(ops::ExecuteChangeSet{}, execute_change_set);
  add(ops::DeleteChangeSet{}, delete_change_set);
  add(ops::ListChangeSets{}, list_change_sets);
  add(ops::ListExports{}, list_exports);
  add(ops::ListImports{}, list_imports);
  registry.refuse(shapes::refused_operations());

  namespace controls = control::ops;
  add(controls::CreateResource{}, create_resource);
  add(controls::GetResource{}, get_resource);
  add(controls::UpdateResource{}, update_resource);
  add(controls::DeleteResource{}, delete_resource);
  add(controls::ListResources{}, list_resources);
  add(controls::GetResourceRequestStatus{}, get_resource_request_status);
  add(controls::ListResourceRequests{}, list_resource_requests);
  add(controls::CancelResourceRequest{}, cancel_resource_request);
}

}  // namespace tidemill::cloudformation

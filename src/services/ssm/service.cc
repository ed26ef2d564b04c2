#include "services/ssm/service.h"

#include "services/ssm/operations.h"

namespace tidemill::ssm {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::PutParameter{}, put_parameter);
  add(ops::GetParameter{}, get_parameter);
  add(ops::GetParameters{}, get_parameters);
  add(ops::GetParametersByPath{}, get_parameters_by_path);
  add(ops::GetParameterHistory{}, get_parameter_history);
  add(ops::DescribeParameters{}, describe_parameters);
  add(ops::DeleteParameter{}, delete_parameter);
  add(ops::DeleteParameters{}, delete_parameters);
  add(ops::LabelParameterVersion{}, label_parameter_version);
  add(ops::UnlabelParameterVersion{}, unlabel_parameter_version);
  add(ops::AddTagsToResource{}, add_tags_to_resource);
  add(ops::RemoveTagsFromResource{}, remove_tags_from_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
}

}  // namespace tidemill::ssm

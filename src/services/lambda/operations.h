// Every operation on functions, each in the file of its name. Shapes and constraints: models/lambda.smithy; docs/lambda.md
// says what works.
#pragma once

#include "base/task.h"
#include "services/lambda/service.h"
#include "wire/context.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

namespace shapes = wire::lambda;

Task<shapes::FunctionConfiguration> create_function(Service&, wire::Context&, const shapes::CreateFunctionInput&);
Task<shapes::GetFunctionOutput> get_function(Service&, wire::Context&, const shapes::GetFunctionInput&);
Task<shapes::FunctionConfiguration> get_function_configuration(Service&, wire::Context&,
                                                               const shapes::GetFunctionConfigurationInput&);
Task<shapes::DownloadPackageOutput> download_package(Service&, wire::Context&, const shapes::DownloadPackageInput&);
Task<shapes::ListFunctionsOutput> list_functions(Service&, wire::Context&, const shapes::ListFunctionsInput&);
Task<shapes::FunctionConfiguration> update_function_code(Service&, wire::Context&, const shapes::UpdateFunctionCodeInput&);
Task<shapes::FunctionConfiguration> update_function_configuration(Service&, wire::Context&,
                                                                  const shapes::UpdateFunctionConfigurationInput&);
Task<shapes::DeleteFunctionOutput> delete_function(Service&, wire::Context&, const shapes::DeleteFunctionInput&);
Task<shapes::InvokeOutput> invoke(Service&, wire::Context&, const shapes::InvokeInput&);

Task<shapes::AddPermissionOutput> add_permission(Service&, wire::Context&, const shapes::AddPermissionInput&);
Task<shapes::RemovePermissionOutput> remove_permission(Service&, wire::Context&, const shapes::RemovePermissionInput&);
Task<shapes::GetPolicyOutput> get_policy(Service&, wire::Context&, const shapes::GetPolicyInput&);

Task<shapes::ListTagsOutput> list_tags(Service&, wire::Context&, const shapes::ListTagsInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);

// The function that `name` stands for, if `qualifier` names what exists of it ($LATEST). Throws ResourceNotFoundException.
struct Found {
  FunctionReference reference;
  FunctionPtr function;
};
Task<Found> find_function(Service&, wire::Context&, std::string name, std::optional<std::string> qualifier);

}  // namespace tidemill::lambda

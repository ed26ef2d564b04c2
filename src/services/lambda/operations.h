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
Task<shapes::InvokeWithResponseStreamOutput> invoke_with_response_stream(
    Service&, wire::Context&, const shapes::InvokeWithResponseStreamInput&);
Task<shapes::InvokeAsyncOutput> invoke_async(Service&, wire::Context&, const shapes::InvokeAsyncInput&);

Task<shapes::CreateFunctionUrlConfigOutput> create_function_url_config(
    Service&, wire::Context&, const shapes::CreateFunctionUrlConfigInput&);
Task<shapes::FunctionUrlConfig> get_function_url_config(Service&, wire::Context&,
                                                        const shapes::GetFunctionUrlConfigInput&);
Task<shapes::FunctionUrlConfig> update_function_url_config(Service&, wire::Context&,
                                                           const shapes::UpdateFunctionUrlConfigInput&);
Task<shapes::DeleteFunctionUrlConfigOutput> delete_function_url_config(
    Service&, wire::Context&, const shapes::DeleteFunctionUrlConfigInput&);
Task<shapes::ListFunctionUrlConfigsOutput> list_function_url_configs(Service&, wire::Context&,
                                                                     const shapes::ListFunctionUrlConfigsInput&);

Task<shapes::FunctionConfiguration> publish_version(Service&, wire::Context&, const shapes::PublishVersionInput&);
Task<shapes::ListVersionsByFunctionOutput> list_versions_by_function(Service&, wire::Context&,
                                                                     const shapes::ListVersionsByFunctionInput&);
Task<shapes::AliasConfiguration> create_alias(Service&, wire::Context&, const shapes::CreateAliasInput&);
Task<shapes::AliasConfiguration> get_alias(Service&, wire::Context&, const shapes::GetAliasInput&);
Task<shapes::ListAliasesOutput> list_aliases(Service&, wire::Context&, const shapes::ListAliasesInput&);
Task<shapes::AliasConfiguration> update_alias(Service&, wire::Context&, const shapes::UpdateAliasInput&);
Task<shapes::DeleteAliasOutput> delete_alias(Service&, wire::Context&, const shapes::DeleteAliasInput&);

Task<shapes::Concurrency> put_function_concurrency(Service&, wire::Context&, const shapes::PutFunctionConcurrencyInput&);
Task<shapes::GetFunctionConcurrencyOutput> get_function_concurrency(Service&, wire::Context&,
                                                                    const shapes::GetFunctionConcurrencyInput&);
Task<shapes::DeleteFunctionConcurrencyOutput> delete_function_concurrency(
    Service&, wire::Context&, const shapes::DeleteFunctionConcurrencyInput&);
Task<shapes::PutProvisionedConcurrencyConfigOutput> put_provisioned_concurrency_config(
    Service&, wire::Context&, const shapes::PutProvisionedConcurrencyConfigInput&);
Task<shapes::GetProvisionedConcurrencyConfigOutput> get_provisioned_concurrency_config(
    Service&, wire::Context&, const shapes::GetProvisionedConcurrencyConfigInput&);
Task<shapes::ListProvisionedConcurrencyConfigsOutput> list_provisioned_concurrency_configs(
    Service&, wire::Context&, const shapes::ListProvisionedConcurrencyConfigsInput&);
Task<shapes::DeleteProvisionedConcurrencyConfigOutput> delete_provisioned_concurrency_config(
    Service&, wire::Context&, const shapes::DeleteProvisionedConcurrencyConfigInput&);
Task<shapes::GetFunctionCodeSigningConfigOutput> get_function_code_signing_config(
    Service&, wire::Context&, const shapes::GetFunctionCodeSigningConfigInput&);
Task<shapes::GetAccountSettingsOutput> get_account_settings(Service&, wire::Context&,
                                                            const shapes::GetAccountSettingsInput&);

Task<shapes::FunctionEventInvokeConfig> put_function_event_invoke_config(
    Service&, wire::Context&, const shapes::PutFunctionEventInvokeConfigInput&);
Task<shapes::FunctionEventInvokeConfig> update_function_event_invoke_config(
    Service&, wire::Context&, const shapes::UpdateFunctionEventInvokeConfigInput&);
Task<shapes::FunctionEventInvokeConfig> get_function_event_invoke_config(
    Service&, wire::Context&, const shapes::GetFunctionEventInvokeConfigInput&);
Task<shapes::ListFunctionEventInvokeConfigsOutput> list_function_event_invoke_configs(
    Service&, wire::Context&, const shapes::ListFunctionEventInvokeConfigsInput&);
Task<shapes::DeleteFunctionEventInvokeConfigOutput> delete_function_event_invoke_config(
    Service&, wire::Context&, const shapes::DeleteFunctionEventInvokeConfigInput&);

Task<shapes::PutFunctionRecursionConfigOutput> put_function_recursion_config(
    Service&, wire::Context&, const shapes::PutFunctionRecursionConfigInput&);
Task<shapes::GetFunctionRecursionConfigOutput> get_function_recursion_config(
    Service&, wire::Context&, const shapes::GetFunctionRecursionConfigInput&);

Task<shapes::AddPermissionOutput> add_permission(Service&, wire::Context&, const shapes::AddPermissionInput&);
Task<shapes::RemovePermissionOutput> remove_permission(Service&, wire::Context&, const shapes::RemovePermissionInput&);
Task<shapes::GetPolicyOutput> get_policy(Service&, wire::Context&, const shapes::GetPolicyInput&);

Task<shapes::LayerVersionOutput> publish_layer_version(Service&, wire::Context&, const shapes::PublishLayerVersionInput&);
Task<shapes::LayerVersionOutput> get_layer_version(Service&, wire::Context&, const shapes::GetLayerVersionInput&);
Task<shapes::LayerVersionOutput> get_layer_version_by_arn(Service&, wire::Context&,
                                                          const shapes::GetLayerVersionByArnInput&);
Task<shapes::ListLayersOutput> list_layers(Service&, wire::Context&, const shapes::ListLayersInput&);
Task<shapes::ListLayerVersionsOutput> list_layer_versions(Service&, wire::Context&,
                                                          const shapes::ListLayerVersionsInput&);
Task<shapes::DeleteLayerVersionOutput> delete_layer_version(Service&, wire::Context&,
                                                            const shapes::DeleteLayerVersionInput&);
Task<shapes::AddLayerVersionPermissionOutput> add_layer_version_permission(
    Service&, wire::Context&, const shapes::AddLayerVersionPermissionInput&);
Task<shapes::RemoveLayerVersionPermissionOutput> remove_layer_version_permission(
    Service&, wire::Context&, const shapes::RemoveLayerVersionPermissionInput&);
Task<shapes::GetLayerVersionPolicyOutput> get_layer_version_policy(Service&, wire::Context&,
                                                                   const shapes::GetLayerVersionPolicyInput&);

Task<shapes::ListTagsOutput> list_tags(Service&, wire::Context&, const shapes::ListTagsInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);

// The version of a function that `name` and `qualifier` stand for. Throws ResourceNotFoundException.
struct Found {
  FunctionReference reference;
  FunctionPtr function;
};
Task<Found> find_function(Service&, wire::Context&, std::string name, std::optional<std::string> qualifier);

}  // namespace tidemill::lambda

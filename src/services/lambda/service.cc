#include "services/lambda/service.h"

#include "services/lambda/operations.h"
#include "services/lambda/provisioned.h"

namespace tidemill::lambda {

Service::Service(store::Store& store, store::Blobs& blobs, engine::Workers& workers, std::filesystem::path packages,
                 wire::PlatformMetrics* usage, bool is_lenient)
    : store_(store),
      workers_(workers),
      packages_(store, blobs, packages),
      functions_(store, std::move(packages)),
      invoker_(functions_, packages_, workers),
      events_(store, invoker_, usage),
      is_lenient_(is_lenient) {}

Task<void> Service::start() {
  events_.start();
  co_await packages_.import_files();
  packages_.release_all();
  co_await packages_.remove_released();
  co_await apply_all_provisioned(*this);
}

Task<void> Service::forget(DroppedPackages dropped) {
  packages_.forget(std::move(dropped));
  return packages_.remove_released();
}

void Service::register_senders(engine::Deliveries& deliveries, wire::Platform& platform) {
  events_.register_with(deliveries, platform);
}

void Service::register_operations(wire::Registry& registry) {
  using namespace shapes;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateFunction{}, create_function);
  add(ops::GetFunction{}, get_function);
  add(ops::GetFunctionConfiguration{}, get_function_configuration);
  add(ops::DownloadPackage{}, download_package);
  add(ops::ListFunctions{}, list_functions);
  add(ops::UpdateFunctionCode{}, update_function_code);
  add(ops::UpdateFunctionConfiguration{}, update_function_configuration);
  add(ops::DeleteFunction{}, delete_function);
  add(ops::Invoke{}, lambda::invoke);
  add(ops::InvokeWithResponseStream{}, invoke_with_response_stream);
  add(ops::CreateFunctionUrlConfig{}, create_function_url_config);
  add(ops::GetFunctionUrlConfig{}, get_function_url_config);
  add(ops::UpdateFunctionUrlConfig{}, update_function_url_config);
  add(ops::DeleteFunctionUrlConfig{}, delete_function_url_config);
  add(ops::ListFunctionUrlConfigs{}, list_function_url_configs);
  add(ops::AddPermission{}, add_permission);
  add(ops::RemovePermission{}, remove_permission);
  add(ops::GetPolicy{}, get_policy);
  add(ops::InvokeAsync{}, invoke_async);
  add(ops::PublishVersion{}, publish_version);
  add(ops::ListVersionsByFunction{}, list_versions_by_function);
  add(ops::CreateAlias{}, create_alias);
  add(ops::GetAlias{}, get_alias);
  add(ops::ListAliases{}, list_aliases);
  add(ops::UpdateAlias{}, update_alias);
  add(ops::DeleteAlias{}, delete_alias);
  add(ops::PutFunctionConcurrency{}, put_function_concurrency);
  add(ops::GetFunctionConcurrency{}, get_function_concurrency);
  add(ops::DeleteFunctionConcurrency{}, delete_function_concurrency);
  add(ops::GetFunctionCodeSigningConfig{}, get_function_code_signing_config);
  add(ops::PutProvisionedConcurrencyConfig{}, put_provisioned_concurrency_config);
  add(ops::GetProvisionedConcurrencyConfig{}, get_provisioned_concurrency_config);
  add(ops::ListProvisionedConcurrencyConfigs{}, list_provisioned_concurrency_configs);
  add(ops::DeleteProvisionedConcurrencyConfig{}, delete_provisioned_concurrency_config);
  add(ops::GetAccountSettings{}, get_account_settings);
  add(ops::PutFunctionEventInvokeConfig{}, put_function_event_invoke_config);
  add(ops::UpdateFunctionEventInvokeConfig{}, update_function_event_invoke_config);
  add(ops::GetFunctionEventInvokeConfig{}, get_function_event_invoke_config);
  add(ops::ListFunctionEventInvokeConfigs{}, list_function_event_invoke_configs);
  add(ops::DeleteFunctionEventInvokeConfig{}, delete_function_event_invoke_config);
  add(ops::PutFunctionRecursionConfig{}, put_function_recursion_config);
  add(ops::GetFunctionRecursionConfig{}, get_function_recursion_config);
  add(ops::PublishLayerVersion{}, publish_layer_version);
  add(ops::GetLayerVersion{}, get_layer_version);
  add(ops::GetLayerVersionByArn{}, get_layer_version_by_arn);
  add(ops::ListLayers{}, list_layers);
  add(ops::ListLayerVersions{}, list_layer_versions);
  add(ops::DeleteLayerVersion{}, delete_layer_version);
  add(ops::AddLayerVersionPermission{}, add_layer_version_permission);
  add(ops::RemoveLayerVersionPermission{}, remove_layer_version_permission);
  add(ops::GetLayerVersionPolicy{}, get_layer_version_policy);
  registry.refuse(shapes::refused_operations());
  add(ops::ListTags{}, list_tags);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
}

}  // namespace tidemill::lambda

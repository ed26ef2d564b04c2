#include "services/lambda/service.h"

#include "services/lambda/operations.h"
#include "store/resources.h"

namespace tidemill::lambda {

Service::Service(store::Store& store, engine::Workers& workers, std::filesystem::path packages,
                 wire::PlatformMetrics* usage)
    : store_(store),
      workers_(workers),
      packages_(packages),
      functions_(store, std::move(packages)),
      invoker_(functions_, packages_, workers),
      events_(store, invoker_, usage) {}

Task<void> Service::start() {
  events_.start();
  packages_.release_all();
  return remove_unreferenced();
}

Task<void> Service::replaced(FunctionAddress address, std::string code_digest) {
  workers_.retire(address.arn(), kLatest);
  packages_.release(code_digest);
  return remove_unreferenced();
}

Task<void> Service::remove_unreferenced() {
  PackageStore::Candidates candidates = packages_.released();
  if (candidates.empty()) co_return;
  const auto snapshot = store_.snapshot();
  co_await snapshot->scan(store::all_resources_range(), store::Direction::forward,
                          [&](std::string_view key, std::string_view value) {
                            if (auto parsed = parse_function_key(key)) {
                              const std::string digest = decode_function(*std::move(parsed), value).code_digest;
                              if (candidates.erase(digest) > 0) packages_.keep(digest);
                            }
                            return !candidates.empty();
                          });
  packages_.remove(candidates);
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
  add(ops::GetAccountSettings{}, get_account_settings);
  add(ops::PutFunctionEventInvokeConfig{}, put_function_event_invoke_config);
  add(ops::UpdateFunctionEventInvokeConfig{}, update_function_event_invoke_config);
  add(ops::GetFunctionEventInvokeConfig{}, get_function_event_invoke_config);
  add(ops::ListFunctionEventInvokeConfigs{}, list_function_event_invoke_configs);
  add(ops::DeleteFunctionEventInvokeConfig{}, delete_function_event_invoke_config);
  add(ops::PutFunctionRecursionConfig{}, put_function_recursion_config);
  add(ops::GetFunctionRecursionConfig{}, get_function_recursion_config);
  registry.refuse(shapes::refused_operations());
  add(ops::ListTags{}, list_tags);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
}

}  // namespace tidemill::lambda

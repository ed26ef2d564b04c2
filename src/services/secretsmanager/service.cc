#include "services/secretsmanager/service.h"

#include "services/secretsmanager/deletion.h"
#include "services/secretsmanager/operations.h"

namespace tidemill::secretsmanager {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateSecret{}, create_secret);
  add(ops::PutSecretValue{}, put_secret_value);
  add(ops::UpdateSecret{}, update_secret);
  add(ops::GetSecretValue{}, get_secret_value);
  add(ops::BatchGetSecretValue{}, batch_get_secret_value);
  add(ops::UpdateSecretVersionStage{}, update_secret_version_stage);
  add(ops::DescribeSecret{}, describe_secret);
  add(ops::ListSecrets{}, list_secrets);
  add(ops::ListSecretVersionIds{}, list_secret_version_ids);
  add(ops::DeleteSecret{}, delete_secret);
  add(ops::RestoreSecret{}, restore_secret);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::GetResourcePolicy{}, get_resource_policy);
  add(ops::PutResourcePolicy{}, put_resource_policy);
  add(ops::DeleteResourcePolicy{}, delete_resource_policy);
  add(ops::GetRandomPassword{}, get_random_password);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) { delete_secrets_by(timers, store_); }

}  // namespace tidemill::secretsmanager

#include "services/kms/service.h"

#include "services/kms/deletion.h"
#include "services/kms/operations.h"
#include "services/kms/rotation.h"

namespace tidemill::kms {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, Task<typename Op::Response> (*handler)(Service&, wire::Context&,
                                                                            const typename Op::Request&)) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateKey{}, create_key);
  add(ops::DescribeKey{}, describe_key);
  add(ops::ListKeys{}, list_keys);
  add(ops::EnableKey{}, enable_key);
  add(ops::DisableKey{}, disable_key);
  add(ops::UpdateKeyDescription{}, update_key_description);
  add(ops::ScheduleKeyDeletion{}, schedule_key_deletion);
  add(ops::CancelKeyDeletion{}, cancel_key_deletion);
  add(ops::CreateAlias{}, create_alias);
  add(ops::UpdateAlias{}, update_alias);
  add(ops::DeleteAlias{}, delete_alias);
  add(ops::ListAliases{}, list_aliases);
  add(ops::Encrypt{}, encrypt);
  add(ops::Decrypt{}, decrypt);
  add(ops::ReEncrypt{}, re_encrypt);
  add(ops::GenerateDataKey{}, generate_data_key);
  add(ops::GenerateDataKeyWithoutPlaintext{}, generate_data_key_without_plaintext);
  add(ops::GenerateRandom{}, generate_random);
  add(ops::GenerateMac{}, generate_mac);
  add(ops::VerifyMac{}, verify_mac);
  add(ops::GetKeyPolicy{}, get_key_policy);
  add(ops::PutKeyPolicy{}, put_key_policy);
  add(ops::ListKeyPolicies{}, list_key_policies);
  add(ops::EnableKeyRotation{}, enable_key_rotation);
  add(ops::DisableKeyRotation{}, disable_key_rotation);
  add(ops::GetKeyRotationStatus{}, get_key_rotation_status);
  add(ops::RotateKeyOnDemand{}, rotate_key_on_demand);
  add(ops::ListKeyRotations{}, list_key_rotations);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListResourceTags{}, list_resource_tags);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) {
  delete_keys_by(timers, *this);
  rotate_keys_by(timers, *this);
}

}  // namespace tidemill::kms

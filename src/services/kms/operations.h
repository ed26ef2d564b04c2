// Every operation of KMS, each in the file of its family. Shapes: models/kms.smithy; docs/kms.md says what works.
#pragma once

#include "base/task.h"
#include "base/text.h"
#include "services/kms/service.h"
#include "wire/context.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {

namespace shapes = wire::kms;

// create_key.cc, keys.cc, deletion.cc
Task<shapes::CreateKeyOutput> create_key(Service&, wire::Context&, const shapes::CreateKeyInput&);
Task<shapes::DescribeKeyOutput> describe_key(Service&, wire::Context&, const shapes::DescribeKeyInput&);
Task<shapes::ListKeysOutput> list_keys(Service&, wire::Context&, const shapes::ListKeysInput&);
Task<shapes::EnableKeyOutput> enable_key(Service&, wire::Context&, const shapes::EnableKeyInput&);
Task<shapes::DisableKeyOutput> disable_key(Service&, wire::Context&, const shapes::DisableKeyInput&);
Task<shapes::UpdateKeyDescriptionOutput> update_key_description(Service&, wire::Context&,
                                                                const shapes::UpdateKeyDescriptionInput&);
Task<shapes::ScheduleKeyDeletionOutput> schedule_key_deletion(Service&, wire::Context&,
                                                              const shapes::ScheduleKeyDeletionInput&);
Task<shapes::CancelKeyDeletionOutput> cancel_key_deletion(Service&, wire::Context&,
                                                          const shapes::CancelKeyDeletionInput&);

// aliases.cc
Task<shapes::CreateAliasOutput> create_alias(Service&, wire::Context&, const shapes::CreateAliasInput&);
Task<shapes::UpdateAliasOutput> update_alias(Service&, wire::Context&, const shapes::UpdateAliasInput&);
Task<shapes::DeleteAliasOutput> delete_alias(Service&, wire::Context&, const shapes::DeleteAliasInput&);
Task<shapes::ListAliasesOutput> list_aliases(Service&, wire::Context&, const shapes::ListAliasesInput&);

// encrypting.cc, data_keys.cc, authentication_codes.cc
Task<shapes::EncryptOutput> encrypt(Service&, wire::Context&, const shapes::EncryptInput&);
Task<shapes::DecryptOutput> decrypt(Service&, wire::Context&, const shapes::DecryptInput&);
Task<shapes::ReEncryptOutput> re_encrypt(Service&, wire::Context&, const shapes::ReEncryptInput&);
Task<shapes::GenerateDataKeyOutput> generate_data_key(Service&, wire::Context&, const shapes::GenerateDataKeyInput&);
Task<shapes::GenerateDataKeyWithoutPlaintextOutput> generate_data_key_without_plaintext(
    Service&, wire::Context&, const shapes::GenerateDataKeyWithoutPlaintextInput&);
Task<shapes::GenerateRandomOutput> generate_random(Service&, wire::Context&, const shapes::GenerateRandomInput&);
Task<shapes::GenerateMacOutput> generate_mac(Service&, wire::Context&, const shapes::GenerateMacInput&);
Task<shapes::VerifyMacOutput> verify_mac(Service&, wire::Context&, const shapes::VerifyMacInput&);

// policies.cc
Task<shapes::GetKeyPolicyOutput> get_key_policy(Service&, wire::Context&, const shapes::GetKeyPolicyInput&);
Task<shapes::PutKeyPolicyOutput> put_key_policy(Service&, wire::Context&, const shapes::PutKeyPolicyInput&);
Task<shapes::ListKeyPoliciesOutput> list_key_policies(Service&, wire::Context&, const shapes::ListKeyPoliciesInput&);

// rotation.cc
Task<shapes::EnableKeyRotationOutput> enable_key_rotation(Service&, wire::Context&,
                                                          const shapes::EnableKeyRotationInput&);
Task<shapes::DisableKeyRotationOutput> disable_key_rotation(Service&, wire::Context&,
                                                            const shapes::DisableKeyRotationInput&);
Task<shapes::GetKeyRotationStatusOutput> get_key_rotation_status(Service&, wire::Context&,
                                                                 const shapes::GetKeyRotationStatusInput&);
Task<shapes::RotateKeyOnDemandOutput> rotate_key_on_demand(Service&, wire::Context&,
                                                           const shapes::RotateKeyOnDemandInput&);
Task<shapes::ListKeyRotationsOutput> list_key_rotations(Service&, wire::Context&, const shapes::ListKeyRotationsInput&);

// tags.cc
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListResourceTagsOutput> list_resource_tags(Service&, wire::Context&, const shapes::ListResourceTagsInput&);

}  // namespace tidemill::kms

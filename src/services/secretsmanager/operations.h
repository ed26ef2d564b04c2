// Every operation of Secrets Manager, each in the file of its family. Shapes: models/secretsmanager.smithy;
// docs/secretsmanager.md says what works.
#pragma once

#include "base/task.h"
#include "base/text.h"
#include "services/secretsmanager/service.h"
#include "wire/context.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {

namespace shapes = wire::secretsmanager;

Task<shapes::CreateSecretOutput> create_secret(Service&, wire::Context&, const shapes::CreateSecretInput&);
Task<shapes::PutSecretValueOutput> put_secret_value(Service&, wire::Context&, const shapes::PutSecretValueInput&);
Task<shapes::UpdateSecretOutput> update_secret(Service&, wire::Context&, const shapes::UpdateSecretInput&);
Task<shapes::GetSecretValueOutput> get_secret_value(Service&, wire::Context&, const shapes::GetSecretValueInput&);
Task<shapes::BatchGetSecretValueOutput> batch_get_secret_value(Service&, wire::Context&,
                                                               const shapes::BatchGetSecretValueInput&);
Task<shapes::UpdateSecretVersionStageOutput> update_secret_version_stage(Service&, wire::Context&,
                                                                         const shapes::UpdateSecretVersionStageInput&);
Task<shapes::DescribeSecretOutput> describe_secret(Service&, wire::Context&, const shapes::DescribeSecretInput&);
Task<shapes::ListSecretsOutput> list_secrets(Service&, wire::Context&, const shapes::ListSecretsInput&);
Task<shapes::ListSecretVersionIdsOutput> list_secret_version_ids(Service&, wire::Context&,
                                                                 const shapes::ListSecretVersionIdsInput&);
Task<shapes::DeleteSecretOutput> delete_secret(Service&, wire::Context&, const shapes::DeleteSecretInput&);
Task<shapes::RestoreSecretOutput> restore_secret(Service&, wire::Context&, const shapes::RestoreSecretInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service&, wire::Context&,
                                                          const shapes::GetResourcePolicyInput&);
Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service&, wire::Context&,
                                                          const shapes::PutResourcePolicyInput&);
Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service&, wire::Context&,
                                                                const shapes::DeleteResourcePolicyInput&);
Task<shapes::GetRandomPasswordOutput> get_random_password(Service&, wire::Context&,
                                                          const shapes::GetRandomPasswordInput&);

}  // namespace tidemill::secretsmanager

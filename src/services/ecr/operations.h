// Every operation of ECR, each in the file of its family. Shapes: models/ecr.smithy; docs/ecr.md says what works.
#pragma once

#include "base/task.h"
#include "services/ecr/service.h"
#include "wire/context.h"
#include "wire/shapes/ecr.h"

namespace tidemill::ecr {

namespace shapes = wire::ecr;

Task<shapes::CreateRepositoryOutput> create_repository(Service&, wire::Context&, const shapes::CreateRepositoryInput&);
Task<shapes::DescribeRepositoriesOutput> describe_repositories(Service&, wire::Context&,
                                                               const shapes::DescribeRepositoriesInput&);
Task<shapes::DeleteRepositoryOutput> delete_repository(Service&, wire::Context&, const shapes::DeleteRepositoryInput&);
Task<shapes::PutImageScanningConfigurationOutput> put_image_scanning_configuration(
    Service&, wire::Context&, const shapes::PutImageScanningConfigurationInput&);
Task<shapes::PutImageTagMutabilityOutput> put_image_tag_mutability(Service&, wire::Context&,
                                                                   const shapes::PutImageTagMutabilityInput&);
Task<shapes::PutLifecyclePolicyOutput> put_lifecycle_policy(Service&, wire::Context&,
                                                            const shapes::PutLifecyclePolicyInput&);
Task<shapes::GetLifecyclePolicyOutput> get_lifecycle_policy(Service&, wire::Context&,
                                                            const shapes::GetLifecyclePolicyInput&);
Task<shapes::DeleteLifecyclePolicyOutput> delete_lifecycle_policy(Service&, wire::Context&,
                                                                  const shapes::DeleteLifecyclePolicyInput&);
Task<shapes::SetRepositoryPolicyOutput> set_repository_policy(Service&, wire::Context&,
                                                              const shapes::SetRepositoryPolicyInput&);
Task<shapes::GetRepositoryPolicyOutput> get_repository_policy(Service&, wire::Context&,
                                                              const shapes::GetRepositoryPolicyInput&);
Task<shapes::DeleteRepositoryPolicyOutput> delete_repository_policy(Service&, wire::Context&,
                                                                    const shapes::DeleteRepositoryPolicyInput&);
Task<shapes::DescribeImagesOutput> describe_images(Service&, wire::Context&, const shapes::DescribeImagesInput&);
Task<shapes::ListImagesOutput> list_images(Service&, wire::Context&, const shapes::ListImagesInput&);
Task<shapes::BatchGetImageOutput> batch_get_image(Service&, wire::Context&, const shapes::BatchGetImageInput&);
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

}  // namespace tidemill::ecr

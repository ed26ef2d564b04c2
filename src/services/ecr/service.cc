#include "services/ecr/service.h"

#include "services/ecr/operations.h"

namespace tidemill::ecr {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateRepository{}, create_repository);
  add(ops::DescribeRepositories{}, describe_repositories);
  add(ops::DeleteRepository{}, delete_repository);
  add(ops::PutImageScanningConfiguration{}, put_image_scanning_configuration);
  add(ops::PutImageTagMutability{}, put_image_tag_mutability);
  add(ops::PutLifecyclePolicy{}, put_lifecycle_policy);
  add(ops::GetLifecyclePolicy{}, get_lifecycle_policy);
  add(ops::DeleteLifecyclePolicy{}, delete_lifecycle_policy);
  add(ops::SetRepositoryPolicy{}, set_repository_policy);
  add(ops::GetRepositoryPolicy{}, get_repository_policy);
  add(ops::DeleteRepositoryPolicy{}, delete_repository_policy);
  add(ops::DescribeImages{}, describe_images);
  add(ops::ListImages{}, list_images);
  add(ops::BatchGetImage{}, batch_get_image);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
  registry.refuse(shapes::refused_operations());
}

}  // namespace tidemill::ecr

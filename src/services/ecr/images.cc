// DescribeImages, ListImages and BatchGetImage: of repositories that hold none.
#include "base/text.h"
#include "services/ecr/operations.h"
#include "services/ecr/repository.h"

namespace tidemill::ecr {
namespace {

using base::cat;
namespace errors = shapes::errors;

// There is one page: nobody was given a token.
void refuse_token(const std::optional<std::string>& token) {
  if (!token) return;
  throw errors::invalid_parameter_exception(
      "Invalid parameter at 'nextToken' failed to satisfy constraint: 'Invalid next token'");
}

std::string text_of(const shapes::ImageIdentifier& image) {
  return cat("{imageDigest:'", image.image_digest.value_or("null"), "', imageTag:'", image.image_tag.value_or("null"),
             "'}");
}

}  // namespace

Task<shapes::DescribeImagesOutput> describe_images(Service& service, wire::Context& context,
                                                   const shapes::DescribeImagesInput& request) {
  const auto snapshot = service.store().snapshot();
  const Repository repository =
      co_await load_repository(*snapshot, context, request.repository_name, request.registry_id);
  refuse_token(request.next_token);
  if (request.image_ids) {
    throw errors::image_not_found_exception(cat("The image with imageId ", text_of(request.image_ids->front()),
                                                " does not exist within the repository with name '",
                                                repository.address.name, "' in the registry with id '",
                                                repository.address.account, "'"));
  }
  shapes::DescribeImagesOutput out;
  out.image_details.emplace();
  co_return out;
}

Task<shapes::ListImagesOutput> list_images(Service& service, wire::Context& context,
                                           const shapes::ListImagesInput& request) {
  const auto snapshot = service.store().snapshot();
  (void)co_await load_repository(*snapshot, context, request.repository_name, request.registry_id);
  refuse_token(request.next_token);
  shapes::ListImagesOutput out;
  out.image_ids.emplace();
  co_return out;
}

Task<shapes::BatchGetImageOutput> batch_get_image(Service& service, wire::Context& context,
                                                  const shapes::BatchGetImageInput& request) {
  const auto snapshot = service.store().snapshot();
  (void)co_await load_repository(*snapshot, context, request.repository_name, request.registry_id);
  shapes::BatchGetImageOutput out;
  out.images.emplace();
  out.failures.emplace();
  for (const shapes::ImageIdentifier& image : request.image_ids) {
    const bool is_named = image.image_digest || image.image_tag;
    shapes::ImageFailure& failure = out.failures->emplace_back();
    failure.image_id = image;
    failure.failure_code = is_named ? "ImageNotFound" : "MissingDigestAndTag";
    failure.failure_reason = is_named ? "Requested image not found" : "Invalid request parameters: both tag and digest are missing";
  }
  co_return out;
}

}  // namespace tidemill::ecr

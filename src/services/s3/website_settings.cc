// What a bucket's website is.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/website_rules.h"

namespace tidemill::s3 {

namespace ops = shapes::ops;

Task<ops::PutBucketWebsite::Response> put_bucket_website(Service& service, wire::Context&,
                                                         const shapes::PutBucketWebsiteInput& request) {
  check_website(request.website_configuration);
  const Website& website = request.website_configuration;
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    bucket.settings[kWebsite] =
        write_document<ops::GetBucketWebsite>({.redirect_all_requests_to = website.redirect_all_requests_to,
                                               .index_document = website.index_document,
                                               .error_document = website.error_document,
                                               .routing_rules = website.routing_rules});
  });
  co_return shapes::PutBucketWebsiteOutput{};
}

Task<shapes::GetBucketWebsiteOutput> get_bucket_website(Service& service, wire::Context&,
                                                        const shapes::GetBucketWebsiteInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  auto website = website_of(bucket);
  if (!website) {
    throw errors::error("NoSuchWebsiteConfiguration", 404, "The specified bucket does not have a website configuration",
                        {{"BucketName", bucket.name}});
  }
  co_return shapes::GetBucketWebsiteOutput{.redirect_all_requests_to = std::move(website->redirect_all_requests_to),
                                           .index_document = std::move(website->index_document),
                                           .error_document = std::move(website->error_document),
                                           .routing_rules = std::move(website->routing_rules)};
}

Task<ops::DeleteBucketWebsite::Response> delete_bucket_website(Service& service, wire::Context&,
                                                               const shapes::DeleteBucketWebsiteInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kWebsite);
  co_return shapes::DeleteBucketWebsiteOutput{};
}

}  // namespace tidemill::s3

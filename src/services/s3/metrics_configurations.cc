// Which requests to a bucket are measured.
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/kept_configurations.h"
#include "services/s3/operations.h"
#include "services/s3/request_metrics.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

void check(const std::string& id, const shapes::MetricsConfiguration& configuration) {
  check_configuration_id(id, configuration.id);
  const auto& filter = configuration.filter;
  if (!filter) return;
  if (filter->prefix.has_value() + filter->tag.has_value() + filter->and_.has_value() != 1) throw errors::malformed_xml();
  if (filter->tag || (filter->and_ && filter->and_->tags && !filter->and_->tags->empty())) {
    throw errors::not_implemented("filters of request metrics by tags");
  }
}

}  // namespace

Task<ops::PutBucketMetricsConfiguration::Response> put_bucket_metrics_configuration(
    Service& service, wire::Context&, const shapes::PutBucketMetricsConfigurationInput& request) {
  check(request.id, request.metrics_configuration);
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    keep_configuration(bucket, kMetricsSettings, request.id,
                       write_document<ops::GetBucketMetricsConfiguration>(
                           {.metrics_configuration = request.metrics_configuration}));
  });
  service.request_metrics().note_configuration();
  co_return shapes::PutBucketMetricsConfigurationOutput{};
}

Task<shapes::GetBucketMetricsConfigurationOutput> get_bucket_metrics_configuration(
    Service& service, wire::Context&, const shapes::GetBucketMetricsConfigurationInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string name = metrics_setting(request.id);
  const auto stored = require_setting<ops::PutBucketMetricsConfiguration>(bucket, name.c_str(), no_such_configuration());
  co_return shapes::GetBucketMetricsConfigurationOutput{.metrics_configuration = stored.metrics_configuration};
}

Task<shapes::ListBucketMetricsConfigurationsOutput> list_bucket_metrics_configurations(
    Service& service, wire::Context&, const shapes::ListBucketMetricsConfigurationsInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  using Output = shapes::ListBucketMetricsConfigurationsOutput;
  co_return show_configurations<Output>(metrics_configurations(bucket), request.continuation_token,
                                        &Output::metrics_configuration_list);
}

Task<ops::DeleteBucketMetricsConfiguration::Response> delete_bucket_metrics_configuration(
    Service& service, wire::Context&, const shapes::DeleteBucketMetricsConfigurationInput& request) {
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (bucket.settings.erase(metrics_setting(request.id)) == 0) throw no_such_configuration();
  });
  co_return shapes::DeleteBucketMetricsConfigurationOutput{};
}

}  // namespace tidemill::s3

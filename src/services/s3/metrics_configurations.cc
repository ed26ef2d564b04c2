// Which requests to a bucket are measured.
#include "base/base64.h"
#include "base/text.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/request_metrics.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr size_t kConfigurationsMax = 1'000;
constexpr size_t kPageSize = 100;
constexpr size_t kIdSizeMax = 64;

wire::Error no_such_configuration() {
  return errors::error("NoSuchConfiguration", 404, "The specified configuration does not exist.");
}

void check(const std::string& id, const shapes::MetricsConfiguration& configuration) {
  if (id.empty() || id.size() > kIdSizeMax) {
    throw errors::invalid_argument("The ID must have 1 to 64 characters.", "id", id);
  }
  if (configuration.id != id) {
    throw errors::invalid_argument("The ID in the request does not match the one in the configuration.", "id", id);
  }
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
    const std::string name = metrics_setting(request.id);
    if (!bucket.setting(name) && metrics_configurations(bucket).size() == kConfigurationsMax) {
      throw errors::error("TooManyConfigurations", 400,
                          "You are attempting to create a new configuration but have already reached the "
                          "1,000-configuration limit.");
    }
    bucket.settings[name] = write_document<ops::GetBucketMetricsConfiguration>(
        {.metrics_configuration = request.metrics_configuration});
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
  std::string after;
  if (request.continuation_token) {
    const auto decoded = base::base64_decode(*request.continuation_token);
    if (!decoded) {
      throw errors::invalid_argument("The continuation token provided is incorrect", "continuation-token",
                                     *request.continuation_token);
    }
    after = *decoded;
  }
  shapes::ListBucketMetricsConfigurationsOutput output{.is_truncated = false};
  output.continuation_token = request.continuation_token;
  auto& shown = output.metrics_configuration_list.emplace();
  for (auto& configuration : metrics_configurations(bucket)) {
    if (!after.empty() && configuration.id <= after) continue;
    if (shown.size() == kPageSize) {
      output.is_truncated = true;
      output.next_continuation_token = base::base64_encode(shown.back().id);
      break;
    }
    shown.push_back(std::move(configuration));
  }
  co_return output;
}

Task<ops::DeleteBucketMetricsConfiguration::Response> delete_bucket_metrics_configuration(
    Service& service, wire::Context&, const shapes::DeleteBucketMetricsConfigurationInput& request) {
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (bucket.settings.erase(metrics_setting(request.id)) == 0) throw no_such_configuration();
  });
  co_return shapes::DeleteBucketMetricsConfigurationOutput{};
}

}  // namespace tidemill::s3

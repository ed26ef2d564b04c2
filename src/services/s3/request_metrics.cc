#include "services/s3/request_metrics.h"

#include <algorithm>

#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

using wire::PlatformMetric;
using wire::PlatformMetrics;
using std::chrono::steady_clock;

constexpr PlatformMetric of_requests(std::string_view name, std::string_view unit = "Count") {
  return {"AWS/S3", name, unit, "BucketName", "FilterId"};
}
constexpr PlatformMetric kAll = of_requests("AllRequests");
constexpr PlatformMetric kGet = of_requests("GetRequests");
constexpr PlatformMetric kPut = of_requests("PutRequests");
constexpr PlatformMetric kDelete = of_requests("DeleteRequests");
constexpr PlatformMetric kHead = of_requests("HeadRequests");
constexpr PlatformMetric kPost = of_requests("PostRequests");
constexpr PlatformMetric kList = of_requests("ListRequests");
constexpr PlatformMetric kDownloaded = of_requests("BytesDownloaded", "Bytes");
constexpr PlatformMetric kUploaded = of_requests("BytesUploaded", "Bytes");
constexpr PlatformMetric k4xx = of_requests("4xxErrors");
constexpr PlatformMetric k5xx = of_requests("5xxErrors");
constexpr PlatformMetric kFirstByte = of_requests("FirstByteLatency", "Milliseconds");
constexpr PlatformMetric kTotal = of_requests("TotalRequestLatency", "Milliseconds");

const PlatformMetric& metric_of(const wire::OperationInfo& info) {
  if (info.name.starts_with("List")) return kList;
  if (info.method == "HEAD") return kHead;
  if (info.method == "PUT") return kPut;
  if (info.method == "POST") return kPost;
  return info.method == "DELETE" ? kDelete : kGet;
}

double milliseconds_since(steady_clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
}

std::string_view prefix_of(const wire::s3::MetricsConfiguration& configuration) {
  const auto& filter = configuration.filter;
  if (!filter) return {};
  if (filter->prefix) return *filter->prefix;
  return filter->and_ && filter->and_->prefix ? std::string_view(*filter->and_->prefix) : std::string_view();
}

// A body on its way out. Tells of it once: at its end, or when its client leaves.
class MeteredSource final : public wire::BodySource {
 public:
  MeteredSource(wire::BodyStream body, PlatformMetrics& metrics, const wire::Context& context, std::string bucket,
                std::vector<std::string> filters, steady_clock::time_point begun)
      : body_(std::move(body)),
        metrics_(metrics),
        account_(context.account),
        region_(context.region),
        bucket_(std::move(bucket)),
        filters_(std::move(filters)),
        begun_(begun) {}
  ~MeteredSource() override { tell(); }

  Task<std::optional<std::string>> next() override {
    auto piece = co_await body_.read();
    if (piece) bytes_ += piece->size();
    else tell();
    co_return piece;
  }

 private:
  void tell() {
    if (std::exchange(is_told_, true)) return;
    for (const std::string& filter : filters_) {
      metrics_.add(kDownloaded, account_, region_, bucket_, static_cast<double>(bytes_), 1, filter);
      metrics_.add(kTotal, account_, region_, bucket_, milliseconds_since(begun_), 1, filter);
    }
  }

  const wire::BodyStream body_;
  PlatformMetrics& metrics_;
  const std::string account_;
  const std::string region_;
  const std::string bucket_;
  const std::vector<std::string> filters_;
  const steady_clock::time_point begun_;
  uint64_t bytes_ = 0;
  bool is_told_ = false;
};

}  // namespace

std::string metrics_setting(std::string_view id) { return std::string(kMetricsSettings).append(id); }

std::vector<wire::s3::MetricsConfiguration> metrics_configurations(const Bucket& bucket) {
  std::vector<wire::s3::MetricsConfiguration> result;
  for (auto at = bucket.settings.lower_bound(std::string(kMetricsSettings));
       at != bucket.settings.end() && at->first.starts_with(kMetricsSettings); ++at) {
    result.push_back(read_document<wire::s3::ops::PutBucketMetricsConfiguration>(at->second).metrics_configuration);
  }
  return result;
}

Task<void> RequestMetrics::find_out() {
  bool is_any = false;
  const auto snapshot = store_.snapshot();
  co_await snapshot->scan(buckets_range(), store::Direction::forward, [&](std::string_view, std::string_view value) {
    is_any = !metrics_configurations(decode_bucket(value)).empty();
    return !is_any;
  });
  State unknown = State::unknown;  // unless a configuration has come meanwhile
  state_.compare_exchange_strong(unknown, is_any ? State::some : State::none);
}

Task<std::vector<std::string>> RequestMetrics::filters_of(std::string bucket, std::string_view key) {
  std::vector<std::string> filters;
  if (state_ == State::unknown) co_await find_out();
  if (state_ == State::none) co_return filters;
  const auto snapshot = store_.snapshot();
  const auto found = co_await find_bucket(*snapshot, std::move(bucket));
  if (!found) co_return filters;
  std::shared_ptr<const Known> known;
  {
    const std::lock_guard lock(mutex_);
    auto& kept = known_[found->id];
    if (!kept || kept->settings != found->settings) {
      kept = std::make_shared<const Known>(Known{found->settings, metrics_configurations(*found)});
    }
    known = kept;
    if (known_.size() > kBucketsMax) known_.clear();
  }
  for (const auto& configuration : known->configurations) {
    const std::string_view prefix = prefix_of(configuration);
    if (prefix.empty() || (!key.empty() && key.starts_with(prefix))) filters.push_back(configuration.id);
  }
  co_return filters;
}

RequestMeter::RequestMeter(const wire::Context& context, const wire::OperationInfo& info, std::string bucket,
                           std::string_view key)
    : context_(context), info_(info), bucket_(std::move(bucket)), has_key_(!key.empty()) {}

double RequestMeter::milliseconds() const { return milliseconds_since(begun_); }

void RequestMeter::add(const std::vector<std::string>& filters, const PlatformMetric& metric, double value) const {
  for (const std::string& filter : filters) measure(context_, metric, bucket_, value, 1, filter);
}

void RequestMeter::count(const std::vector<std::string>& filters) const {
  add(filters, kAll, 1);
  // Reading and changing what a bucket is set to counts among all requests only.
  if (has_key_ || info_.name.starts_with("List") || info_.name == "DeleteObjects") add(filters, metric_of(info_), 1);
  add(filters, kFirstByte, milliseconds());
}

void RequestMeter::succeeded(std::vector<std::string> filters, std::optional<uint64_t> uploaded) const {
  count(filters);
  add(filters, kTotal, milliseconds());
  add(filters, k4xx, 0);
  add(filters, k5xx, 0);
  if (uploaded) add(filters, kUploaded, static_cast<double>(*uploaded));
}

wire::BodyStream RequestMeter::downloading(wire::BodyStream body, std::vector<std::string> filters) const {
  count(filters);
  add(filters, k4xx, 0);
  add(filters, k5xx, 0);
  const auto length = body.length();
  return {std::make_shared<MeteredSource>(std::move(body), *context_.platform().usage, context_, bucket_,
                                          std::move(filters), begun_),
          length};
}

void RequestMeter::failed(const std::vector<std::string>& filters) const {
  constexpr int kClientError = 400, kServerError = 500;
  count(filters);
  add(filters, kTotal, milliseconds());
  int status = kServerError;
  try {
    throw;
  } catch (const wire::Error& error) {
    status = error.http_status;
  } catch (...) {
  }
  // "Not modified" is nobody's error.
  add(filters, k4xx, status >= kClientError && status < kServerError ? 1 : 0);
  add(filters, k5xx, status >= kServerError ? 1 : 0);
}

}  // namespace tidemill::s3

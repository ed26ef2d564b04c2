#include "services/cloudwatch/metric_series.h"

#include <openssl/rand.h>

#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::cloudwatch {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

MetricSeries new_series(base::Time now) {
  MetricSeries series{.id = std::string(kMetricIdSize, '\0'), .last_active = now};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(series.id.data()), static_cast<int>(series.id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return series;
}

std::string encode_series(const MetricSeries& series) {
  std::string out;
  base::append_u8(out, kVersion);
  base::append_fixed(out, series.id);
  base::append_i64(out, series.last_active.time_since_epoch().count());
  return out;
}

MetricSeries decode_series(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  MetricSeries series;
  series.id = reader.fixed(kMetricIdSize);
  series.last_active = base::Time(base::Duration(reader.i64()));
  if (!reader.ok() || !reader.at_end() || version != kVersion) throw std::runtime_error("a stored metric is damaged");
  return series;
}

}  // namespace tidemill::cloudwatch

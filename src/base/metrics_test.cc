#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::base {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Metrics, ACounterAppearsWithHelpTypeAndLabels) {
  Metrics metrics;
  metrics.counter("requests_total", "Requests.", "service=\"sqs\"").add(3);
  metrics.counter("requests_total", "Requests.", "service=\"sns\"").add();
  EXPECT_EQ(metrics.prometheus_text(),
            "# HELP requests_total Requests.\n"
            "# TYPE requests_total counter\n"
            "requests_total{service=\"sns\"} 1\n"
            "requests_total{service=\"sqs\"} 3\n");
}

TEST(Metrics, TheSameNameAndLabelsGiveTheSameCounter) {
  Metrics metrics;
  EXPECT_EQ(&metrics.counter("a", "A.", "x=\"1\""), &metrics.counter("a", "A.", "x=\"1\""));
  EXPECT_NE(&metrics.counter("a", "A.", "x=\"1\""), &metrics.counter("a", "A.", "x=\"2\""));
}

TEST(Metrics, HistogramBucketsAreCumulativeAndIncludeTheirBound) {
  Metrics metrics;
  Histogram& histogram = metrics.histogram("latency_seconds", "Latency.");
  histogram.observe(100us);
  histogram.observe(100001ns);
  histogram.observe(2min);
  const std::string text = metrics.prometheus_text();
  EXPECT_THAT(text, HasSubstr("# TYPE latency_seconds histogram\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{le=\"0.0001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{le=\"0.00025\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{le=\"60\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("latency_seconds_sum 120.000200001\n"));
}

TEST(Metrics, AGaugeIsReadWhenTheTextIsMade) {
  Metrics metrics;
  double value = 1;
  metrics.gauge("depth", "Depth.", "", [&] { return value; });
  value = 2.5;
  EXPECT_THAT(metrics.prometheus_text(), HasSubstr("depth 2.5\n"));
}

}  // namespace
}  // namespace tidemill::base

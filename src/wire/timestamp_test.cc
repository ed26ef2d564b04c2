#include "wire/timestamp.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

base::Time at_micros(int64_t micros) { return base::Time(base::Duration(micros)); }

TEST(Timestamp, WritesSecondsWithAtMostMilliseconds) {
  const auto text = [](int64_t micros) { return format_timestamp(at_micros(micros), TimestampFormat::epoch_seconds); };
  EXPECT_EQ(text(1560209851963000), "1560209851.963");
  EXPECT_EQ(text(1560209851960999), "1560209851.96");
  EXPECT_EQ(text(1560209851000000), "1560209851");
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(-500000), "-0.5");
}

TEST(Timestamp, WritesDates) {
  EXPECT_EQ(format_timestamp(at_micros(1560209851963000), TimestampFormat::date_time), "2019-06-10T23:37:31.963Z");
  EXPECT_EQ(format_timestamp(at_micros(1560209851000000), TimestampFormat::date_time), "2019-06-10T23:37:31Z");
  EXPECT_EQ(format_timestamp(at_micros(1560209851963000), TimestampFormat::http_date), "Mon, 10 Jun 2019 23:37:31 GMT");
}

TEST(Timestamp, ReadsWhatItWrites) {
  const base::Time time = at_micros(1560209851000000);
  for (const auto format : {TimestampFormat::epoch_seconds, TimestampFormat::date_time, TimestampFormat::http_date}) {
    EXPECT_EQ(parse_timestamp(format_timestamp(time, format), format), time);
  }
}

TEST(Timestamp, ReadsOffsetsAndFractions) {
  EXPECT_EQ(parse_timestamp("2019-06-11T01:07:31.5+01:30", TimestampFormat::date_time), at_micros(1560209851500000));
  EXPECT_EQ(parse_timestamp("2019-06-10t23:37:31.123456789z", TimestampFormat::date_time), at_micros(1560209851123456));
}

TEST(Timestamp, RefusesWhatIsNoDate) {
  for (const char* text : {"", "2019-06-10", "2019-02-30T00:00:00Z", "2019-06-10T24:00:00Z", "2019-06-10T23:37:31",
                           "2019-06-10T23:37:31.Z", "2019-06-10T23:37:31Zx", "0000-01-01T00:00:00Z",
                           "9999-12-31T23:59:59-12:00"}) {  // of the year 10000
    EXPECT_FALSE(parse_timestamp(text, TimestampFormat::date_time)) << text;
  }
  EXPECT_FALSE(parse_timestamp("1e30", TimestampFormat::epoch_seconds));
  EXPECT_FALSE(parse_timestamp("nan", TimestampFormat::epoch_seconds));
}

}  // namespace
}  // namespace tidemill::wire

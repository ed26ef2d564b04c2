#include "base/json_decimal.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidemill::base::json {
namespace {

TEST(JsonDecimal, WritesDoublesAsJavaDoes) {
  EXPECT_EQ(decimal_text(2), "2.0");
  EXPECT_EQ(decimal_text(0), "0.0");
  EXPECT_EQ(decimal_text(-21.5), "-21.5");
  EXPECT_EQ(decimal_text(0.1), "0.1");
  EXPECT_EQ(decimal_text(0.001), "0.001");
  EXPECT_EQ(decimal_text(0.0001), "1.0E-4");
  EXPECT_EQ(decimal_text(9999999), "9999999.0");
  EXPECT_EQ(decimal_text(1e7), "1.0E7");
  EXPECT_EQ(decimal_text(1.25e100), "1.25E100");
}

TEST(JsonDecimal, HasNoNumberForWhatIsNone) {
  std::string out;
  Writer writer(out);
  writer.begin_array();
  write_decimal(writer, 1);
  write_decimal(writer, std::numeric_limits<double>::infinity());
  writer.end_array();
  EXPECT_EQ(out, "[1.0,null]");
}

}  // namespace
}  // namespace tidemill::base::json

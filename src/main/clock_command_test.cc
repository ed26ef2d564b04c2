#include "main/clock_command.h"

#include <gtest/gtest.h>

namespace tidemill {
namespace {

std::string request(std::vector<std::string_view> arguments) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  try {
    return parse_clock_options(arguments, nothing).request;
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(ClockCommand, ShowsAdvancesAndSets) {
  EXPECT_EQ(request({"show"}), "");
  EXPECT_EQ(request({"advance", "2h"}), R"({"advance":"PT2H"})");
  EXPECT_EQ(request({"advance", "PT1H30M"}), R"({"advance":"PT1H30M"})");
  EXPECT_EQ(request({"set", "2026-12-24T08:00:00Z"}), R"({"to":"2026-12-24T08:00:00Z"})");
  EXPECT_EQ(request({"set", "2026-12-24"}), R"({"to":"2026-12-24T00:00:00Z"})");
}

TEST(ClockCommand, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(request({"advance", "soon"}),
            "clock advance: \"soon\" is not a duration like 90s, 10m, 2h, 1d12h, 1w or PT1H30M");
  EXPECT_EQ(request({"set", "tomorrow"}),
            "clock set: \"tomorrow\" is not a time like 2026-12-24T08:00:00Z or 2026-12-24");
  for (const auto& wrong :
       std::vector<std::vector<std::string_view>>{{}, {"advance"}, {"back", "2h"}, {"show", "2h"}}) {
    EXPECT_TRUE(request(wrong).starts_with("clock: tidemill clock show")) << request(wrong);
  }
}

TEST(ClockCommand, TakesDurationsAsPeopleWriteThem) {
  EXPECT_EQ(iso_duration_of("1d12h"), "P1DT12H");
  EXPECT_EQ(iso_duration_of("1w"), "P1W");
  EXPECT_EQ(iso_duration_of("1h30m15s"), "PT1H30M15S");
  EXPECT_EQ(iso_duration_of("0.5s"), "PT0.5S");
  for (const char* wrong : {"", "5", "h", "-5s", "5s1h", "1y", "1..5s"})
    EXPECT_EQ(iso_duration_of(wrong), std::nullopt);
}

}  // namespace
}  // namespace tidemill

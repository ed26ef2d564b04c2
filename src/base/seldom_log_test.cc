#include "base/seldom_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/log_file.h"
#include "base/sim_executor.h"

namespace tidemill::base {
namespace {

using testing::HasSubstr;
using testing::Not;

class SeldomLogTest : public testing::Test {
 protected:
  SeldomLogTest() {
    char name[] = "/tmp/tidemill_seldom_XXXXXX";
    directory_ = ::mkdtemp(name);
    log_to_file(directory_ / "log");
  }
  ~SeldomLogTest() override {
    log_.reset();
    log_to_standard_error();
    std::filesystem::remove_all(directory_);
  }

  void warn(std::string target, std::string error) {
    const Executor::Enter enter(executor_);
    log_->warn({{"target", std::move(target)}}, {{"error", std::move(error)}});
  }
  // What was written since it was asked last.
  std::vector<std::string> lines() {
    const std::string all = read_file(directory_ / "log");
    std::vector<std::string> result;
    while (told_ < all.size()) {
      const size_t end = all.find('\n', told_);
      result.push_back(all.substr(told_, end - told_));
      told_ = end + 1;
    }
    return result;
  }

  Activity activity_;
  SimExecutor executor_{1, activity_};
  std::filesystem::path directory_;
  size_t told_ = 0;
  std::optional<SeldomLog> log_ = std::optional<SeldomLog>(std::in_place, "given up");
};

TEST_F(SeldomLogTest, the_first_is_told_at_once_and_those_of_a_minute_in_one_line) {
  for (int n = 0; n < 1000; ++n) warn("a", "gone");
  const auto first = lines();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(first[0], HasSubstr("event=\"given up\" target=a error=gone"));
  EXPECT_TRUE(executor_.run_one());  // the minute is over
  const auto rest = lines();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_THAT(rest[0], HasSubstr("target=a more_like_this=999"));
  executor_.run_until_idle();
  EXPECT_TRUE(lines().empty());
  warn("a", "gone again");
  EXPECT_THAT(lines(), testing::ElementsAre(HasSubstr("gone again")));
}

TEST_F(SeldomLogTest, what_is_about_something_else_is_told_too) {
  warn("a", "x");
  warn("b", "y");
  EXPECT_THAT(lines(), testing::ElementsAre(HasSubstr("target=a"), HasSubstr("target=b")));
}

TEST_F(SeldomLogTest, many_things_at_a_time_are_counted_together) {
  for (size_t n = 0; n < SeldomLog::kThingsMax + 50; ++n) warn(std::to_string(n), "x");
  EXPECT_EQ(lines().size(), SeldomLog::kThingsMax + 1);
  executor_.run_until_idle();
  EXPECT_THAT(lines(), testing::ElementsAre(HasSubstr("more_like_this=49")));
}

TEST_F(SeldomLogTest, what_was_not_told_yet_is_told_at_the_end) {
  for (int n = 0; n < 3; ++n) warn("a", "x");
  (void)lines();
  {
    const Executor::Enter enter(executor_);
    log_.reset();
  }
  EXPECT_THAT(lines(), testing::ElementsAre(HasSubstr("more_like_this=2")));
}

}  // namespace
}  // namespace tidemill::base

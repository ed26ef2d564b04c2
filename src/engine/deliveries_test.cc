// What the log says of deliveries that are given up.
#include "engine/deliveries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/log_file.h"
#include "base/sim_executor.h"
#include "store/sim_store.h"

namespace tidemill::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using store::SendOutcome;
using store::SendStatus;

class GivenUp : public testing::Test {
 protected:
  GivenUp() {
    char name[] = "/tmp/tidemill_given_up_XXXXXX";
    directory_ = ::mkdtemp(name);
    base::log_to_file(directory_ / "log");
    store_ = store::make_sim_store(disk_, executor_, clock_, {});
    timers_ = std::make_unique<TimerService>(*store_, clock_);
    deliveries_ = std::make_unique<Deliveries>(*store_, clock_, *timers_);
  }
  ~GivenUp() override {
    scope_.clear();
    timers_.reset();
    deliveries_.reset();
    executor_.drop_all();
    store_.reset();
    base::log_to_standard_error();
    std::filesystem::remove_all(directory_);
  }

  // The lines about `count` deliveries to `target` that fail so, with one attempt each. A minute later, if so wanted.
  std::vector<std::string> lines_of(int count, std::string target, SendOutcome outcome, bool whole_minute = false) {
    deliveries_->send_with("test", [outcome](const store::Delivery&) -> Task<SendOutcome> { co_return outcome; });
    timers_->start();
    scope_.spawn(store_->transact([&, count](store::Transaction& txn) -> Task<void> {
      for (int n = 0; n < count; ++n) {
        store::Delivery delivery{.id = "d" + std::to_string(n), .target_kind = "test", .target = target};
        co_await store::enqueue_delivery(txn, std::move(delivery), clock_.now());
      }
    }));
    const auto are_told = [&] { return std::ranges::count(log(), '\n') >= (whole_minute ? 2 : 1); };
    while (!are_told() && executor_.run_one()) {
    }
    std::vector<std::string> lines;
    std::istringstream text(log());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  std::string log() const { return base::read_file(directory_ / "log"); }

  base::VirtualClock clock_{base::Time{std::chrono::hours(24)}, base::VirtualClock::Mode::automatic};
  base::SimExecutor executor_{7, clock_.activity()};
  base::Executor::Enter enter_{executor_};
  store::SimDisk disk_;
  std::filesystem::path directory_;
  std::unique_ptr<store::SimStore> store_;
  std::unique_ptr<TimerService> timers_;
  std::unique_ptr<Deliveries> deliveries_;
  base::Scope scope_;
};

TEST_F(GivenUp, the_line_says_what_and_why) {
  const auto lines = lines_of(1, "arn:aws:sqs:us-east-1:000000000000:gone", {SendStatus::rejected, "there is no such queue"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("event=\"delivery given up\""), HasSubstr("kind=test"), HasSubstr("id=d0"),
                              HasSubstr("target=arn:aws:sqs:us-east-1:000000000000:gone"), HasSubstr("reason=rejected"),
                              HasSubstr("error=\"there is no such queue\"")));
}

TEST_F(GivenUp, many_are_one_line_and_their_number) {
  const auto lines = lines_of(500, "arn:aws:lambda:us-east-1:000000000000:function:f", {SendStatus::failed, "it failed"}, true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("reason=\"attempts exhausted\""));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("reason=\"attempts exhausted\""), HasSubstr("more_like_this=499")));
}

TEST_F(GivenUp, of_a_url_only_its_host_is_told) {
  const auto lines = lines_of(1, "https://me:secret@example.com/token?key=1", {SendStatus::failed, "refused"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("target=https://example.com "), Not(HasSubstr("secret")), Not(HasSubstr("token"))));
}

}  // namespace
}  // namespace tidemill::engine

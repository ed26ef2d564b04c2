// Lines of functions on their way to CloudWatch Logs, against a registry of their own.
#include "engine/workers/function_logs.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "wire/error.h"
#include "wire/shapes/logs.h"
#include "wire/sim_platform_testing.h"

namespace tidemill::engine {
namespace {

namespace ops = wire::logs::ops;

class FunctionLogsTest : public testing::Test, protected wire::testing::SimPlatform {
 protected:
  FunctionLogsTest() {
    registry_.add<ops::PutLogEvents>([this](wire::Context&, const ops::PutLogEvents::Request& request)
                                         -> Task<ops::PutLogEvents::Response> {
      if (const auto fail = std::exchange(fail_, nullptr)) fail();
      if (holds_ && request.log_stream_name == "s") co_await let_go_;
      for (const auto& event : request.log_events) kept_.push_back(event.message);
      co_return ops::PutLogEvents::Response{};
    });
  }
  ~FunctionLogsTest() override {
    stream_.reset();
    logs_.reset();
    executor_.drop_all();
  }

  void print(std::string_view line) {
    const base::Executor::Enter enter(executor_);
    stream_->line(line);
    executor_.run_until_idle();
  }

  std::unique_ptr<FunctionLogs> logs_ = std::make_unique<FunctionLogs>(executor_, platform_);
  std::unique_ptr<FunctionLogs::Stream> stream_ = logs_->open({"000000000000", "us-east-1", "/aws/lambda/f", "s"});
  std::function<void()> fail_;
  bool holds_ = false;  // what comes of "s"
  base::Signal let_go_;
  std::vector<std::string> kept_;
};

// Whatever it was: what comes after it is kept, and the platform is quiet again.
TEST_F(FunctionLogsTest, LinesThatCannotBeStoredAreLostAndThoseAfterThemAreNot) {
  const std::function<void()> failures[] = {[] { throw wire::Error("InternalFailure", 500, "no"); },
                                            [] { throw store::Overloaded("too much"); },
                                            [] { throw store::StoreFailed("a sync failed"); },
                                            [] { throw std::runtime_error("Too many open files"); }};
  for (const auto& failure : failures) {
    kept_.clear();
    fail_ = failure;
    print("lost\n");
    print("kept\n");
    EXPECT_EQ(kept_, std::vector<std::string>{"kept\n"});
    bool is_quiet = false;
    clock_.advance_to(clock_.now() + std::chrono::seconds(1), [&] { is_quiet = true; });
    executor_.run_until_idle();
    EXPECT_TRUE(is_quiet);
  }
}

// Each byte that is no UTF-8 takes three.
TEST_F(FunctionLogsTest, LinesOfBytesMakeNoRoomForMoreThanMayWait) {
  constexpr size_t kMebibyte = 1 << 20;
  const std::string line(kMebibyte, 'x');
  holds_ = true;
  print("first\n");
  for (int n = 0; n < 8; ++n) print(line);
  {
    const auto other = logs_->open({"000000000000", "us-east-1", "/aws/lambda/f", "bytes"});
    const base::Executor::Enter enter(executor_);
    other->line(std::string(2 * kMebibyte, '\x80'));
    executor_.run_until_idle();
  }
  ASSERT_EQ(kept_.size(), 1u);
  EXPECT_EQ(kept_.front().size(), 6 * kMebibyte);
  for (int n = 0; n < 12; ++n) print(line);
  holds_ = false;
  let_go_.signal();
  executor_.run_until_idle();
  ASSERT_EQ(kept_.size(), 1u + 1u + 15u + 1u);
  EXPECT_TRUE(kept_.back().contains("5 lines were dropped")) << kept_.back();
}

}  // namespace
}  // namespace tidemill::engine

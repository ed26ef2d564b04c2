#include "engine/workers/response_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/sim_executor.h"

namespace tidemill::engine {
namespace {

using Texts = std::vector<std::string>;

// A writer and a reader on one executor whose order is drawn from a seed.
class ResponseStreams : public testing::TestWithParam<uint64_t> {
 protected:
  void write(std::vector<std::string> pieces) {
    scope_.spawn([](ResponseStreams& test, std::vector<std::string> all) -> Task<void> {
      test.stream_.begin("text/plain");
      for (std::string& piece : all) {
        co_await test.stream_.give(std::move(piece));
        ++test.given_;
      }
      test.stream_.end();
    }(*this, std::move(pieces)));
  }

  base::Activity activity_;
  base::SimExecutor executor_{GetParam(), activity_};
  const base::Executor::Enter enter_{executor_};
  ResponseStream stream_;
  size_t given_ = 0;
  base::Scope scope_;
};

TEST_P(ResponseStreams, GiveEachPieceInItsTurnAndThenTheEnd) {
  Texts got;
  write({"one", "two", "three"});
  scope_.spawn([](ResponseStream& stream, Texts& texts) -> Task<void> {
    texts.push_back((co_await stream.begun()).value_or("nothing"));
    while (auto piece = co_await stream.next()) texts.push_back(*piece);
    texts.emplace_back("end");
  }(stream_, got));
  executor_.run_until_idle();
  EXPECT_EQ(got, (Texts{"text/plain", "one", "two", "three", "end"}));
}

TEST_P(ResponseStreams, HoldTheWriterBackWhileNobodyReads) {
  write({"one", "two", "three"});
  executor_.run_until_idle();
  EXPECT_EQ(given_, 1U);
}

TEST_P(ResponseStreams, LetTheWriterGoOnOnceTheReaderHasLeft) {
  write({"one", "two", "three"});
  executor_.run_until_idle();
  stream_.leave();
  executor_.run_until_idle();
  EXPECT_EQ(given_, 3U);
}

TEST_P(ResponseStreams, SayThatNothingBeganIfTheyEndBefore) {
  std::optional<std::string> type = "unknown";
  scope_.spawn([](ResponseStream& stream, std::optional<std::string>& found) -> Task<void> {
    found = co_await stream.begun();
  }(stream_, type));
  executor_.run_until_idle();
  stream_.end();
  executor_.run_until_idle();
  EXPECT_EQ(type, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResponseStreams, testing::Range<uint64_t>(0, 20));

}  // namespace
}  // namespace tidemill::engine

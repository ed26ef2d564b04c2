#include "services/states/shown_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "services/states/history.h"
#include "store/test_executor.h"

namespace tidemill::states {
namespace {

using Events = std::vector<wire::states::HistoryEvent>;

std::string event_text(int id, size_t input_bytes) {
  return base::cat(R"({"timestamp":1773446400.000,"type":"PassStateEntered","id":)", id, R"(,"previousEventId":)",
                   id - 1, R"(,"stateEnteredEventDetails":{"name":"A","input":")", std::string(input_bytes, 'x'),
                   R"(","inputDetails":{"truncated":false}}})");
}

class ShownHistory : public ::testing::Test {
 protected:
  // Counts how often others have a turn until it is done.
  Events shown(std::vector<std::string> texts) {
    std::optional<Events> result;
    {
      const base::Executor::Enter enter(executor_);
      scope_.spawn([](Task<Events> work, std::optional<Events>& out) -> Task<void> { out = co_await std::move(work); }(
          shown_events(evaluations_, std::move(texts)), result));
    }
    executor_.run_until([&] { return result || ++turns > 10'000; });
    return std::move(result).value();
  }

  int turns = 0;

 private:
  store::TestExecutor executor_{nullptr, store::TestExecutor::Slices::none};
  LongEvaluations evaluations_{true};
  base::Scope scope_;
};

TEST_F(ShownHistory, LetsOthersHaveATurnBetweenEvents) {
  constexpr int kEvents = 1000;
  std::vector<std::string> texts;
  for (int id = 1; id <= kEvents; ++id) texts.push_back(event_text(id, kHistoryPageBytesMax / kEvents));
  const Events events = shown(std::move(texts));
  EXPECT_GE(turns, kEvents);
  ASSERT_EQ(events.size(), size_t{kEvents});
  EXPECT_EQ(events.back().id, kEvents);
  EXPECT_EQ(events.back().state_entered_event_details->input->size(), kHistoryPageBytesMax / kEvents);
}

TEST_F(ShownHistory, IsReadAsItStandsAlsoOnAThread) {
  constexpr size_t kLarge = 200'000;
  const Events events = shown({event_text(1, kLarge), event_text(2, 3)});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, "PassStateEntered");
  EXPECT_EQ(events[0].state_entered_event_details->input, std::string(kLarge, 'x'));
  EXPECT_EQ(events[1].previous_event_id, 1);
  EXPECT_EQ(events[1].state_entered_event_details->input, "xxx");
}

}  // namespace
}  // namespace tidemill::states

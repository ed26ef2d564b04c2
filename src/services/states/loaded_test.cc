#include "services/states/loaded.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/text.h"

namespace tidemill::states {
namespace {

constexpr size_t kBytes = 200'000;  // of one document
constexpr size_t kMany = 2 * kLoadedBytesMax / kBytes;
static_assert(kMany < kLoadedMax);

Payload document(size_t bytes = kBytes) { return Payload::of_text(base::cat("\"", std::string(bytes, 'x'), "\"")); }

// Keeps as many executions as would be twice the bound, each with what `fill` gives it, and returns how many are kept.
size_t kept_of_many(const std::function<void(Live& live, Frame& frame)>& fill) {
  LoadedCache cache;
  size_t kept = 0;
  for (size_t n = 0; n < kMany; ++n) {
    auto loaded = std::make_unique<Loaded>();
    loaded->live.id = new_execution_id();
    Frame& frame = loaded->live.frames[kRootFrame];
    fill(loaded->live, frame);
    const size_t dropped = cache.keep(std::move(loaded)).size();
    kept = kept + 1 - dropped;
  }
  return kept;
}

constexpr size_t kFitting = kLoadedBytesMax / kBytes;

TEST(LoadedExecutions, AreKeptAsFarAsTheirVariablesFit) {
  EXPECT_LE(kept_of_many([](Live& live, Frame& frame) {
              live.set_variables(frame, json::Object{{"v", std::string(kBytes, 'x')}});
            }), kFitting);
}

TEST(LoadedExecutions, AreKeptAsFarAsTheirInputsFit) {
  EXPECT_LE(kept_of_many([](Live&, Frame& frame) { frame.input = document(); }), kFitting);
}

TEST(LoadedExecutions, AreKeptAsFarAsTheirArgumentsFit) {
  EXPECT_LE(kept_of_many([](Live& live, Frame& frame) { live.set_arguments(frame, document()); }), kFitting);
}

TEST(LoadedExecutions, AreKeptAsFarAsTheirAnswersFit) {
  EXPECT_LE(kept_of_many([](Live&, Frame& frame) {
              frame.answer = TaskAnswer{.is_success = true, .output = std::string(kBytes, 'x')};
            }), kFitting);
}

TEST(LoadedExecutions, AreKeptAsFarAsTheirResultsFit) {
  EXPECT_LE(kept_of_many([](Live& live, Frame& frame) {
              for (uint32_t i = 0; i < 4; ++i) live.set_result(frame, i, document(kBytes / 4));
            }), kFitting);
}

TEST(LoadedExecutions, AreAllKeptIfTheyAreSmall) {
  EXPECT_EQ(kept_of_many([](Live&, Frame& frame) { frame.input = document(1); }), kMany);
}

TEST(DocumentsOnHand, CountOnceWhatManyFlowsShare) {
  Live live;
  live.frames[1].input = document();
  live.frames[1].arguments = live.frames[1].input;
  live.frames[2].input = live.frames[1].arguments;
  EXPECT_EQ(live.bytes_on_hand(), kBytes + 2);
}

// What is small is not for the threads of large documents, whatever it could be.
TEST(DocumentsOnHand, CountItemsOfAMapAsLargeAsTheyAre) {
  for (const size_t bytes : {size_t{1}, kBytes}) {
    Live live;
    Frame& frame = live.frames[1];
    live.set_items(frame, document(bytes).document(), 0);
    EXPECT_GE(live.bytes_on_hand(), bytes);
    EXPECT_LE(live.bytes_on_hand(), bytes + 16) << "with what else stands in their record";
    live.clear_collected(frame);
    EXPECT_EQ(live.bytes_on_hand(), 0u);
  }
}

TEST(DocumentsOnHand, CountNoResultThatIsReplacedOrForgotten) {
  Live live;
  Frame& frame = live.frames[1];
  live.set_result(frame, 0, document());
  live.set_result(frame, 0, document(1));
  EXPECT_EQ(live.bytes_on_hand(), 3u);
  live.clear_collected(frame);
  EXPECT_EQ(live.bytes_on_hand(), 0u);
}

}  // namespace
}  // namespace tidemill::states

#include "engine/unrecorded.h"

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

store::Timer timer(std::string id, uint64_t set_at = 1) {
  return {.kind = "k", .id = std::move(id), .set_at = {set_at}};
}

TEST(Unrecorded, KeepsWhatCameOfASettingOfATimerUntilItIsTaken) {
  Unrecorded<std::string> unrecorded;
  unrecorded.keep(timer("a"), "1", 1);
  unrecorded.keep(timer("b"), "2", 1);
  unrecorded.keep(timer("a"), "3", 1);
  EXPECT_EQ(unrecorded.take(timer("a")), "3");
  EXPECT_EQ(unrecorded.take(timer("a")), std::nullopt);
  EXPECT_EQ(unrecorded.take(timer("b", 2)), std::nullopt) << "it was set anew";
  EXPECT_EQ(unrecorded.take(timer("b")), std::nullopt) << "that setting does not come again";
}

TEST(Unrecorded, ForgetsTheOldestWhereThereIsNoRoom) {
  Unrecorded<std::string> unrecorded(10'000);
  unrecorded.keep(timer("z"), "1", 4'000);
  unrecorded.keep(timer("a"), "2", 4'000);
  unrecorded.keep(timer("too large"), "3", 10'000);
  unrecorded.keep(timer("m"), "4", 4'000);
  EXPECT_EQ(unrecorded.take(timer("too large")), std::nullopt);
  EXPECT_EQ(unrecorded.take(timer("z")), std::nullopt);
  EXPECT_EQ(unrecorded.take(timer("a")), "2");
  EXPECT_EQ(unrecorded.take(timer("m")), "4");
  for (int n = 0; n < 100; ++n) {  // what was taken takes no room
    unrecorded.keep(timer("n"), "5", 9'000);
    EXPECT_EQ(unrecorded.take(timer("n")), "5");
  }
}

}  // namespace
}  // namespace tidemill::engine

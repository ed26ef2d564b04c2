#include "wire/gzip.h"

#include <gtest/gtest.h>

#include "wire/error.h"
#include "wire/gzip_testing.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using testing::gzip;

const auto kHoldsAll = [](size_t) {};

std::optional<std::string> unpack(std::string compressed, size_t bytes_max, std::function<void(size_t)> hold) {
  return testing::run(gunzip(std::move(compressed), bytes_max, std::move(hold)));
}

TEST(Gzip, GivesWhatWasCompressed) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919);
  EXPECT_EQ(unpack(gzip(text), 1 << 20, kHoldsAll), text);
  EXPECT_EQ(unpack(gzip(""), 0, kHoldsAll), "");
  EXPECT_EQ(unpack(gzip("abc"), 3, kHoldsAll), "abc");
}

TEST(Gzip, StopsAtTheBoundOfWhatItGives) {
  const std::string bomb = gzip(std::string(64 << 20, 'a'));
  EXPECT_LT(bomb.size(), 100u << 10);
  EXPECT_EQ(unpack(bomb, 1 << 20, kHoldsAll), std::nullopt);
  EXPECT_EQ(unpack(gzip("abcd"), 3, kHoldsAll), std::nullopt);
}

TEST(Gzip, SaysHowMuchRoomItTakesBeforeItDoes) {
  const std::string text(300'000, 'a');
  size_t held = 0;
  EXPECT_EQ(unpack(gzip(text), 1 << 20, [&](size_t bytes) { held = bytes; }), text);
  EXPECT_GE(held, text.size());
  const auto refuse = [](size_t bytes) {
    if (bytes > 100'000) throw std::runtime_error("no more");
  };
  EXPECT_THROW((void)unpack(gzip(text), 1 << 20, refuse), std::runtime_error);
}

TEST(Gzip, RefusesDamage) {
  std::string cut = gzip("hello hello hello");
  cut.pop_back();
  EXPECT_THROW((void)unpack(cut, 100, kHoldsAll), Error);
  EXPECT_THROW((void)unpack("", 100, kHoldsAll), Error);
  EXPECT_THROW((void)unpack("not gzip at all", 100, kHoldsAll), Error);
  EXPECT_THROW((void)unpack(gzip("a") + "b", 100, kHoldsAll), Error);
}

}  // namespace
}  // namespace tidemill::wire

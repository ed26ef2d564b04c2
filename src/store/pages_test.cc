#include "store/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/test_backends.h"

namespace tidemill::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Pages : public testing::Test {
 protected:
  Pages() {
    backend_.run([&]() -> Task<void> {
      co_await backend_.store().transact([](Transaction& txn) -> Task<void> {
        for (const char* key : {"Ra", "Rb", "Rc", "Rd", "Re", "Sx"}) txn.put(key, key[1] == 'b' ? "no" : "yes");
        co_return;
      });
    });
  }

  // The entries that count; then token_ is the next page's.
  std::vector<std::string> read(size_t most) {
    std::vector<std::string> keys;
    backend_.run([&]() -> Task<void> {
      const auto snapshot = backend_.store().snapshot();
      token_ = co_await read_page(*snapshot, Range::prefix("R"), {token_, most, looked_at_max_}, [&](auto key, auto value) {
        if (value == "yes") keys.emplace_back(key);
        return value == "yes";
      });
    });
    return keys;
  }

  SimBackend backend_;
  std::optional<std::string> token_;
  size_t looked_at_max_ = SIZE_MAX;
};

TEST_F(Pages, EndWhenSoManyEntriesHaveBeenLookedAt) {
  looked_at_max_ = 2;
  EXPECT_THAT(read(10), ElementsAre("Ra"));
  EXPECT_THAT(read(10), ElementsAre("Rc", "Rd"));
  EXPECT_THAT(read(10), ElementsAre("Re"));
  EXPECT_FALSE(token_);
}

TEST_F(Pages, FollowEachOtherAndTheLastHasNoToken) {
  EXPECT_THAT(read(2), ElementsAre("Ra", "Rc"));
  EXPECT_TRUE(token_);
  EXPECT_THAT(read(2), ElementsAre("Rd", "Re"));
  EXPECT_FALSE(token_) << "what lies behind the range is none of it";
}

TEST_F(Pages, WithoutRoomBeginWhereTheyStood) {
  EXPECT_THAT(read(0), IsEmpty());
  EXPECT_THAT(read(10), ElementsAre("Ra", "Rc", "Rd", "Re"));
}

TEST_F(Pages, HaveTokensOfTheirOwnRangeOnly) {
  const auto refuse = [&](std::string token) -> Task<void> {
    const auto snapshot = backend_.store().snapshot();
    EXPECT_THROW(co_await read_page(*snapshot, Range::prefix("R"), {token, 1}, [](auto, auto) { return true; }),
                 NotAPageToken);
  };
  backend_.run([&]() -> Task<void> {
    co_await refuse("?");
    co_await refuse("U3g=");  // Sx
    co_await refuse("");
  });
}

}  // namespace
}  // namespace tidemill::store

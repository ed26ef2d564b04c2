// What is done with large bodies lets others have their turn, and ends when nobody waits for it any more.
#include "wire/large_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/crc32.h"
#include "base/hex.h"
#include "crypto/digest.h"
#include "store/test_executor.h"
#include "wire/body_claims.h"
#include "wire/gzip.h"
#include "wire/gzip_testing.h"
#include "wire/pipeline/admit.h"
#include "wire/pipeline/hashed_body.h"
#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/postbox.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using testing::gzip;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kLarge = 2 << 20;

class LargeWork : public ::testing::Test {
 protected:
  // How often others had a turn until it was done.
  template <class T>
  int turns_of_others(Task<T> task, std::optional<T>& result) {
    start(std::move(task), result);
    int turns = 0;
    executor_.run_until([&] { return result || ++turns > 10'000; });
    EXPECT_TRUE(result);
    return turns;
  }

  template <class T>
  void start(Task<T> task, std::optional<T>& result) {
    const base::Executor::Enter enter(executor_);
    scope_->spawn([](Task<T> work, std::optional<T>& out) -> Task<void> { out = co_await std::move(work); }(
        std::move(task), result));
  }

  // It waits when this is called, and never goes on.
  void hang_up() {
    const base::Executor::Enter enter(executor_);
    scope_.reset();
    bool later = false;
    executor_.post([&] { later = true; });
    executor_.run_until([&] { return later; });
  }

  store::TestExecutor executor_{nullptr, store::TestExecutor::Slices::none};
  std::optional<base::Scope> scope_ = std::optional<base::Scope>(std::in_place);
};

TEST_F(LargeWork, ABodyThatIsSignedIsHashedInPieces) {
  const std::string text(kLarge, 'x');
  HashedBody body(std::make_shared<testing::TextBody>(text));
  std::optional<std::string> read;
  EXPECT_GE(turns_of_others(body.read_all(kLarge), read), static_cast<int>(kLarge / kPieceBytes) - 1);
  EXPECT_EQ(read, text);
  EXPECT_EQ(body.hash(), base::hex_of(crypto::sha256(text)));
}

TEST_F(LargeWork, ABodyWithAChecksumIsCheckedInPieces) {
  OperationInfo info = attic::ops::DeleteThings::info;
  info.request_bytes_max = kLarge;
  const std::string text(info.request_bytes_max, 'x');
  net::Request request = testing::make_request("POST", "/box?delete", {}, text);
  WireRequest in;
  in.headers = {{"x-amz-content-sha256", base::hex_of(crypto::sha256(text))}};
  std::optional<std::string> read;
  EXPECT_GE(turns_of_others(admit_body(request, info, in), read), static_cast<int>(text.size() / kPieceBytes) - 1);
  EXPECT_EQ(read, text);
}

TEST_F(LargeWork, ABodyIsUnpackedInPieces) {
  const std::string text(kLarge, 'x');
  std::optional<std::optional<std::string>> unpacked;
  const int turns = turns_of_others(gunzip(gzip(text), kLarge, [](size_t) {}), unpacked);
  EXPECT_GE(turns, static_cast<int>(kLarge / kPieceBytes) - 1);
  EXPECT_EQ(*unpacked, text);
}

TEST_F(LargeWork, UnpackingEndsWhenItsClientHangsUp) {
  size_t held = 0;
  std::optional<std::optional<std::string>> unpacked;
  start(gunzip(gzip(std::string(kLarge, 'x')), kLarge, [&](size_t bytes) { held = bytes; }), unpacked);
  hang_up();
  EXPECT_FALSE(unpacked);
  EXPECT_LT(held, kLarge);
}

TEST_F(LargeWork, WhatIsLittleIsDoneHereAndNow) {
  base::BlockingWork threads;
  std::optional<std::thread::id> done_by;
  start(do_large_joined(&threads, kPieceBytes, [] { return std::this_thread::get_id(); }), done_by);
  EXPECT_EQ(done_by, std::this_thread::get_id());
}

TEST_F(LargeWork, WhatIsMuchIsDoneElsewhereAndSaysWhatIsWrong) {
  base::BlockingWork threads;
  std::optional<std::string> said;
  const auto work = [](base::BlockingWork& on) -> Task<std::string> {
    try {
      co_await do_large_joined(&on, kLarge, [] { throw std::runtime_error("wrong"); });
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "";
  };
  start(work(threads), said);
  EXPECT_FALSE(said);
  executor_.run_until([&] { return said.has_value(); });
  EXPECT_EQ(said, "wrong");
}

// It uses what its caller has.
TEST_F(LargeWork, WhatHasBegunEndsBeforeItsCallerDoes) {
  base::BlockingWork threads;
  std::atomic<bool> begun = false;
  std::atomic<bool> ended = false;
  std::optional<bool> result;
  const auto work = [&]() -> Task<bool> {
    co_return co_await do_large_joined(&threads, kLarge, [&] {
      begun = true;
      begun.notify_one();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return ended = true;
    });
  };
  start(work(), result);
  begun.wait(false);
  hang_up();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(result);
}

class LargeForms : public LargeWork {
 protected:
  LargeForms() {
    platform_.platform.registry.add<postbox::ops::Post>(
        [this](Context&, const postbox::PostInput& in) -> Task<postbox::PostOutput> {
          box_ = in.box_url;
          words_ = in.words ? in.words->size() : 0;
          co_return postbox::PostOutput{.box_url = answer_};
        });
    platform_.platform.registry.add<kettle::ops::Brew>(
        [this](Context&, const kettle::BrewInput&) -> Task<kettle::BrewOutput> {
          co_return kettle::BrewOutput{.table_name = answer_};
        });
    front_.emplace(platform_.platform, FrontOptions{});
  }

  net::Request form(std::string rest) {
    return testing::make_request("POST", "/", {{"Content-Type", "application/x-www-form-urlencoded"}},
                                 "Action=Post&Version=2026-01-01&BoxUrl=here" + std::move(rest));
  }
  static std::string words(int count) {
    std::string text;
    for (int n = 1; n <= count; ++n) text += "&Words.member." + std::to_string(n) + "=w";
    return text;
  }

  testing::TestPlatform platform_;
  std::optional<Front> front_;
  std::string box_;
  size_t words_ = 0;
  std::string answer_;
};

// What stands around them and is said of them is as with small ones.
TEST_F(LargeForms, AreAnsweredAtLengthInTheirEnvelope) {
  answer_.assign(kLarge, '<');
  net::Request request = form("");
  std::optional<net::Response> response;
  start(front_->handle(request), response);
  EXPECT_FALSE(response);
  executor_.run_until([&] { return response.has_value(); });
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->headers.get("content-type"), "text/xml");
  EXPECT_THAT(response->body, StartsWith("<?xml version=\"1.0\"?><PostResponse xmlns="));
  EXPECT_THAT(response->body, EndsWith("</RequestId></ResponseMetadata></PostResponse>"));
  EXPECT_EQ(response->body.find("<PostResponse", 30), std::string::npos);
  EXPECT_GT(response->body.size(), 4 * kLarge);
}

TEST_F(LargeForms, AnswersBringTheirSumOnceWhateverTheirLength) {
  for (const size_t bytes : {size_t{3}, kLarge}) {
    answer_.assign(bytes, 'x');
    net::Request request = testing::make_request("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}},
                                                 R"({"TableName":"tea","Amount":1})");
    std::optional<net::Response> response;
    start(front_->handle(request), response);
    executor_.run_until([&] { return response.has_value(); });
    EXPECT_GT(response->body.size(), bytes);
    EXPECT_EQ(response->headers.get("x-amz-crc32"), std::to_string(base::crc32(response->body)));
    EXPECT_EQ(std::ranges::count(response->headers.entries(), "x-amz-crc32", &std::pair<std::string, std::string>::first), 1);
  }
}

TEST_F(LargeForms, AreReadOnAThread) {
  net::Request request = form(words(20'000));
  std::optional<net::Response> response;
  start(front_->handle(request), response);
  EXPECT_FALSE(response);
  EXPECT_EQ(box_, "");
  executor_.run_until([&] { return response.has_value(); });
  EXPECT_EQ(response->status, 200) << response->body;
  EXPECT_EQ(box_, "here");
  EXPECT_EQ(words_, 20'000u);
}

TEST_F(LargeForms, AreRefusedAsSmallOnesAre) {
  net::Request request = form(words(100'001));
  std::optional<net::Response> response;
  start(front_->handle(request), response);
  executor_.run_until([&] { return response.has_value(); });
  EXPECT_EQ(response->status, 404);
  EXPECT_THAT(response->body, HasSubstr("too many parameters"));
}

TEST_F(LargeForms, WhoseClientHangsUpAreNotCarriedOut) {
  net::Request request = form(words(50'000));
  std::optional<net::Response> response;
  start(front_->handle(request), response);
  hang_up();
  front_.reset();  // waits for its thread
  EXPECT_FALSE(response);
  EXPECT_EQ(box_, "");
}

}  // namespace
}  // namespace tidemill::wire

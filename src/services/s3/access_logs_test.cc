// What becomes of requests to buckets with a log when things go wrong beside them.
#include "services/s3/access_logs.h"

#include <filesystem>

#include "base/file.h"
#include "base/log_file.h"
#include "engine/timer_service.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/testing.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;

// Another store that takes no writes while it is full.
class FullStore final : public store::Store {
 public:
  explicit FullStore(store::Store& other) : other_(other) {}
  bool is_full = false;

  std::shared_ptr<store::Snapshot> snapshot() override { return other_.snapshot(); }
  std::shared_ptr<store::Transaction> begin() override { return other_.begin(); }
  Task<store::CommitResult> commit(std::shared_ptr<store::Transaction> txn) override {
    if (is_full) throw store::Overloaded("full");
    co_return co_await other_.commit(std::move(txn));
  }
  store::Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return other_.subscribe(topic, std::move(callback));
  }
  [[nodiscard]] store::StoreMetrics metrics() const override { return other_.metrics(); }

 private:
  store::Store& other_;
};

class AccessLogsTest : public ::testing::Test {
 protected:
  explicit AccessLogsTest(size_t bytes_max = AccessLogs::kBytesMax) {
    char name[] = "/tmp/tidemill_access_logs_XXXXXX";
    directory_ = ::mkdtemp(name);
    base::log_to_file(directory_ / "log");
    for (const char* bucket : {"logged", "logs"}) world_.create_bucket(bucket);
    ops::PutBucketLogging::Request request;
    request.bucket = "logged";
    auto& wanted = request.bucket_logging_status.logging_enabled.emplace();
    wanted.target_bucket = "logs";
    (void)world_.await(world_.call<ops::PutBucketLogging>(std::move(request)));
    const base::Executor::Enter enter(world_.executor);
    logs_ = std::make_unique<AccessLogs>(service_, bytes_max);
    timers_ = std::make_unique<engine::TimerService>(*world_.store, world_.clock);
    logs_->register_timers(*timers_, *world_.platform);
    timers_->start();
  }
  ~AccessLogsTest() override {
    {
      const base::Executor::Enter enter(world_.executor);
      timers_.reset();
      logs_.reset();
    }
    base::log_to_standard_error();
    std::filesystem::remove_all(directory_);
  }

  void note(std::string bucket, std::string key = "key") {
    logs_->note({.operation = &ops::GetObject::info,
                 .bucket = std::move(bucket),
                 .key = std::move(key),
                 .method = "GET",
                 .status = 200,
                 .begun = world_.clock.now()});
  }
  // Once the platform's time has come.
  size_t delivered_lines() {
    world_.advance(10min);
    ops::ListObjectsV2::Request request;
    request.bucket = "logs";
    const auto listed = world_.await(world_.call<ops::ListObjectsV2>(std::move(request)));
    size_t lines = 0;
    for (const auto& one : listed.contents.value_or(std::vector<shapes::Object>{})) {
      const std::string text = world_.get("logs", one.key.value());
      lines += static_cast<size_t>(std::ranges::count(text, '\n'));
    }
    return lines;
  }
  // Lines of the server's log that say so.
  size_t warnings(std::string_view text) {
    const std::string all = base::read_file(directory_ / "log");
    size_t count = 0;
    for (size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++count;
    return count;
  }
  void break_bucket(std::string name) {
    world_.await([](store::Store& store, std::string key) -> Task<bool> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        txn.put(key, "no record");
        co_return;
      });
      co_return true;
    }(*world_.store, bucket_key(name)));
  }

  World world_;
  std::filesystem::path directory_;
  FullStore store_{*world_.store};
  Service service_{store_, *world_.blobs, world_.clock};
  std::unique_ptr<AccessLogs> logs_;
  std::unique_ptr<engine::TimerService> timers_;
};

TEST_F(AccessLogsTest, ATimerThatCouldNotBeSetIsSetWithTheNextLine) {
  store_.is_full = true;
  note("logged", "first");
  EXPECT_EQ(delivered_lines(), 0u);
  EXPECT_EQ(warnings("reason=full"), 1u);
  store_.is_full = false;
  note("logged", "second");
  EXPECT_EQ(delivered_lines(), 2u);
}

TEST_F(AccessLogsTest, ABucketWhoseRecordIsDamagedConcernsNoOther) {
  break_bucket("broken");
  for (int i = 0; i < 100; ++i) {
    note("broken");
    note("logged");
  }
  EXPECT_EQ(delivered_lines(), 100u);
  EXPECT_EQ(warnings("bucket=broken"), 2u) << "the first, and how many there were";
}

TEST_F(AccessLogsTest, WhatComesTogetherIsKeptInOrderAndNobodyWaits) {
  for (int i = 0; i < 50; ++i) note("logged", "key" + std::to_string(i));
  note("logs");  // has no log
  note("gone");
  EXPECT_EQ(delivered_lines(), 50u);
  EXPECT_EQ(warnings("not logged"), 0u);
}

class NarrowAccessLogsTest : public AccessLogsTest {
 protected:
  static constexpr size_t kRoom = 64 << 10;
  NarrowAccessLogsTest() : AccessLogsTest(kRoom) {}
};

TEST_F(NarrowAccessLogsTest, BeyondTheRoomRequestsAreDroppedAndTheServersLogSaysSoSeldom) {
  for (int i = 0; i < 2000; ++i) {
    note("logged");
    if (i % 20 == 0) (void)world_.executor.run_one();
  }
  const size_t lines = delivered_lines();
  EXPECT_GT(lines, 50u);
  EXPECT_LT(lines, 400u);
  EXPECT_GE(warnings("too many lines wait"), 1u);
  EXPECT_LE(warnings("too many lines wait"), 4u);
  note("logged");
  EXPECT_EQ(delivered_lines(), lines + 1) << "there is room again";
}

}  // namespace
}  // namespace tidemill::s3

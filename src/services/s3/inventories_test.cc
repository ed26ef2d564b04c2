// When inventories are written, and that each is written once, whatever happens to others.
#include "engine/timer_service.h"
#include "services/s3/inventory.h"
#include "services/s3/testing.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;
using Written = std::map<std::string, int>;  // reports by the ids of their configurations

// Their target is not this world's: it takes everything, unless it is down. It is a Saturday's midnight.
class Inventories : public ::testing::Test {
 protected:
  Inventories() {
    elsewhere_.add<ops::PutObject>([this](wire::Context&, const ops::PutObject::Request& request) {
      return take(request.key);
    });
    const base::Executor::Enter enter(world_.executor);
    timers_ = std::make_unique<engine::TimerService>(*world_.store, world_.clock);
    timers_->handle(kInventoryTimer, [this](const store::Timer& timer) {
      return run_inventory(*world_.service, platform_, timer);
    });
    timers_->start();
    world_.create_bucket("stock");
  }
  ~Inventories() override {
    const base::Executor::Enter enter(world_.executor);
    timers_.reset();
  }

  void configure(std::string id, std::string frequency) {
    ops::PutBucketInventoryConfiguration::Request request;
    request.bucket = "stock";
    request.id = id;
    auto& wanted = request.inventory_configuration;
    wanted.id = id;
    wanted.is_enabled = true;
    wanted.included_object_versions = "Current";
    wanted.schedule.frequency = std::move(frequency);
    wanted.destination.s3_bucket_destination.bucket = "arn:aws:s3:::reports";
    wanted.destination.s3_bucket_destination.format = "CSV";
    (void)world_.await(world_.call<ops::PutBucketInventoryConfiguration>(std::move(request)));
  }

  World world_;
  std::set<std::string> down_;  // ids whose reports cannot be written now
  Written written_;

 private:
  // "stock/ID/TIME/manifest.checksum" is the last of a report.
  Task<ops::PutObject::Response> take(std::string key) {
    const std::string rest = key.substr(key.find('/') + 1);
    const std::string id = rest.substr(0, rest.find('/'));
    if (down_.contains(id)) throw wire::Error("SlowDown", 503, "Please reduce your request rate.");
    if (key.ends_with("/manifest.checksum")) ++written_[id];
    co_return ops::PutObject::Response{};
  }

  wire::Registry elsewhere_;
  wire::Platform platform_{*world_.store, world_.clock, world_.metrics, elsewhere_, nullptr};
  std::unique_ptr<engine::TimerService> timers_;
};

TEST_F(Inventories, WhatIsWrittenIsNotWrittenAgainBecauseAnotherCannotBe) {
  for (const char* id : {"a", "b", "c"}) configure(id, "Daily");
  down_ = {"b"};
  world_.advance(25h);
  EXPECT_EQ(written_, (Written{{"a", 1}, {"c", 1}}));
  down_.clear();
  world_.advance(2min);
  EXPECT_EQ(written_, (Written{{"a", 1}, {"b", 1}, {"c", 1}}));
  world_.advance(24h);
  EXPECT_EQ(written_, (Written{{"a", 2}, {"b", 2}, {"c", 2}}));
}

TEST_F(Inventories, ThoseOfSundayAreWrittenOnMondayIfTheyCouldNotBeBefore) {
  configure("daily", "Daily");
  configure("late", "Weekly");
  configure("weekly", "Weekly");
  down_ = {"late"};
  world_.advance(47h);
  EXPECT_EQ(written_, (Written{{"daily", 1}, {"weekly", 1}}));
  world_.advance(2h);
  EXPECT_EQ(written_, (Written{{"daily", 2}, {"weekly", 1}}));
  down_.clear();
  world_.advance(2min);
  const Written in_the_end{{"daily", 2}, {"late", 1}, {"weekly", 1}};
  EXPECT_EQ(written_, in_the_end);
  world_.advance(6 * 24h - 4h);
  EXPECT_EQ(written_["late"], 1) << "till Saturday";
  world_.advance(24h);
  EXPECT_EQ(written_["late"], 2);
  EXPECT_EQ(written_["weekly"], 2);
}

}  // namespace
}  // namespace tidemill::s3

// What becomes of events whose rules have a bus for target where policies say who may put events on it.
#include <functional>

#include <gmock/gmock.h>

#include "services/events/routing.h"
#include "services/events/testing.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::events {
namespace {

using testing::World;
namespace ops = shapes::ops;

constexpr const char* kShop = R"({"source":["shop"]})";

// Says what a rule may put on a bus, each time that it is asked.
struct BusGate : wire::Authorizer {
  explicit BusGate(std::function<void(int)> answer) : answer_(std::move(answer)) {}
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context&, wire::Deed deed) override {
    if (deed.action == "events:PutEvents") answer_(asked_++);
    co_return;
  }

 private:
  const std::function<void(int)> answer_;
  int asked_ = 0;
};

shapes::Target bus_target(std::string bus) {
  shapes::Target target{.id = "bus", .arn = base::cat("arn:aws:events:us-east-1:000000000000:event-bus/", bus)};
  target.dead_letter_config = {.arn = World::queue_arn("dead")};
  return target;
}

void throw_denied() { throw wire::Error("AccessDeniedException", 403, "not yours"); }

TEST(BusRightsTest, RightsThatAreTakenAwayBetweenItsTransactionsLoseNoEvent) {
  World world;
  constexpr int kRules = 20;
  for (const char* queue : {"a", "b", "c", "d", "z", "dead"}) world.create_queue(queue);
  (void)world.ask<ops::CreateEventBus>({.name = "other"});
  (void)world.ask<ops::PutRule>({.name = "a-first", .event_pattern = kShop});
  (void)world.ask<ops::PutTargets>({.rule = "a-first", .targets = {bus_target("other")}});
  for (int n = 0; n < kRules; ++n) {
    world.put_rule(base::cat("r", n), kShop, {{"a"}, {"b"}, {"c"}, {"d"}});
    (void)world.ask<ops::PutRule>({.name = base::cat("r", n), .event_pattern = kShop, .event_bus_name = "other"});
    shapes::PutTargetsInput to_last{.rule = base::cat("r", n), .event_bus_name = "other"};
    to_last.targets.push_back({.id = "z", .arn = World::queue_arn("z")});
    (void)world.ask<ops::PutTargets>(std::move(to_last));
  }
  BusGate gate([](int asked) {
    if (asked > 0) throw_denied();
  });
  world.guard_with(gate);
  static_assert(kRules * 5 * 200'000 > kRoutedBytesMax);
  world.put(base::cat(R"({"text":")", std::string(200'000, 'x'), R"("})"));
  world.settle();
  for (const char* queue : {"a", "b", "c", "d", "z"}) EXPECT_EQ(world.bodies(queue).size(), size_t{kRules}) << queue;
  EXPECT_TRUE(world.bodies("dead").empty());
}

TEST(BusRightsTest, AnEventThatABusMayNotHaveIsRefusedWithThatAlsoIfItMayLater) {
  World world;
  for (const char* queue : {"q", "dead"}) world.create_queue(queue);
  (void)world.ask<ops::CreateEventBus>({.name = "other"});
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {bus_target("other")}});
  BusGate gate([](int asked) {
    if (asked == 0) throw_denied();
  });
  world.guard_with(gate);
  world.put("{}");
  world.settle();
  std::vector<std::string> letters;
  for (const json::Value& message : world.messages("dead")) letters.push_back(json::write(message));
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_THAT(letters[0], ::testing::HasSubstr("NO_PERMISSIONS"));
  EXPECT_THAT(letters[0], ::testing::HasSubstr("AccessDeniedException: not yours"));
}

TEST(BusRightsTest, NothingIsTakenWhileNobodyCanTellWhatABusMayHave) {
  World world;
  for (const char* queue : {"q", "dead"}) world.create_queue(queue);
  (void)world.ask<ops::CreateEventBus>({.name = "other"});
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  const shapes::Target queue{.id = "q", .arn = World::queue_arn("q")};
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {bus_target("other"), queue}});
  BusGate gate([](int) { throw wire::Error("ServiceUnavailable", 503, "later"); });
  world.guard_with(gate);
  EXPECT_THAT(world.refusal<ops::PutEvents>(World::event("{}")), ::testing::StartsWith("InternalException"));
  world.settle();
  for (const char* queue : {"q", "dead"}) EXPECT_TRUE(world.bodies(queue).empty()) << queue;
}

}  // namespace
}  // namespace tidemill::events

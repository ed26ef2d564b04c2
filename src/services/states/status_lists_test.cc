// Lists by status in a pond whose executions were made before there were any.
#include "services/states/status_lists.h"

#include <set>

#include "services/states/testing.h"
#include "store/keys.h"

namespace tidemill::states {
namespace {

using testing::World;

constexpr size_t kEnded = 2 * kRelistedAtOnce + 3;

std::set<std::string> names_of(World& world, std::string_view status) {
  std::set<std::string> names;
  json::Object request{{"stateMachineArn", World::machine_arn("m")}, {"statusFilter", status}, {"maxResults", 1000}};
  const json::Value page = world.ask("ListExecutions", json::write(json::Value(std::move(request))));
  for (const json::Value& one : page.find("executions")->array()) names.insert(one.find("name")->string());
  return names;
}

// As an earlier version would have left it.
void forget_lists(World& world) {
  std::erase_if(world.disk.data, [](const auto& entry) {
    const std::string& key = entry.first;
    return key.starts_with(static_cast<char>(store::KeySpace::execution)) && (key[1] == 'L' || key == relisted_key());
  });
}

void make_executions(World& world) {
  world.create("m", R"({"StartAt":"A","States":{"A":{"Type":"Wait","SecondsPath":"$","End":true}}})");
  for (size_t i = 0; i < kEnded; ++i) (void)world.begin("m", "0", base::cat("ended-", i));
  (void)world.begin("m", "1000", "waits");
  world.settle();
}

TEST(StatusLists, TakeInTheExecutionsOfAnEarlierVersion) {
  World world;
  make_executions(world);
  forget_lists(world);
  EXPECT_TRUE(names_of(world, "SUCCEEDED").empty());
  world.crash();
  world.settle();
  EXPECT_EQ(names_of(world, "SUCCEEDED").size(), kEnded);
  EXPECT_EQ(names_of(world, "RUNNING"), std::set<std::string>{"waits"});
  world.advance(std::chrono::seconds(1000));
  EXPECT_TRUE(names_of(world, "RUNNING").empty());
}

TEST(StatusLists, TakeThemAllInThroughCrashes) {
  World world;
  make_executions(world);
  forget_lists(world);
  // Enough steps to get on somewhere, and too few for all of it.
  for (uint64_t steps = 1; steps <= 40; ++steps) {
    world.crash();
    for (uint64_t step = 0; step < steps && world.executor.run_one(); ++step) {
    }
  }
  world.crash();
  world.settle();
  EXPECT_EQ(names_of(world, "SUCCEEDED").size(), kEnded);
  EXPECT_EQ(names_of(world, "RUNNING").size(), 1u);
}

}  // namespace
}  // namespace tidemill::states

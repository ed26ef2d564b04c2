// Retry and Catch.
#include "lang/states/evaluate.h"
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

std::string task_with(std::string_view more,
                      std::string_view type = R"("Type":"Task","Resource":"arn:aws:states:::lambda:invoke")") {
  return "{" + std::string(type) + "," + std::string(more) + R"(,"End":true})";
}

// "retrier:milliseconds", or "no".
std::string retry_of(const StateFixture& fixture, const Failure& failure, std::vector<int64_t> attempts = {},
                     uint64_t random = 0) {
  const World world{.random = [random] { return random; }};
  const auto decided = retry(fixture.state(), failure, attempts, world);
  return decided ? std::to_string(decided->retrier) + ":" + std::to_string(decided->delay.count()) : "no";
}

TEST(Retry, BacksOffByDefaultThreeTimes) {
  const StateFixture fixture(task_with(R"("Retry":[{"ErrorEquals":["X"]}])"));
  const Failure failure{.error = "X"};
  EXPECT_EQ(fixture.state().retriers, 1u);
  EXPECT_EQ(retry_of(fixture, failure), "0:1000");
  EXPECT_EQ(retry_of(fixture, failure, {1}), "0:2000");
  EXPECT_EQ(retry_of(fixture, failure, {2}), "0:4000");
  EXPECT_EQ(retry_of(fixture, failure, {3}), "no");
  EXPECT_EQ(retry_of(fixture, {.error = "Y"}), "no");
}

TEST(Retry, EachRetrierCountsForItself) {
  const StateFixture fixture(task_with(
      R"("Retry":[{"ErrorEquals":["X"],"MaxAttempts":1,"IntervalSeconds":3},
                  {"ErrorEquals":["States.ALL"],"MaxAttempts":9,"IntervalSeconds":5,"BackoffRate":1.5,
      "MaxDelaySeconds":8}])"));
  EXPECT_EQ(retry_of(fixture, {.error = "X"}, {0, 4}), "0:3000");
  EXPECT_EQ(retry_of(fixture, {.error = "X"}, {1, 0}), "no");  // the first that names it decides
  EXPECT_EQ(retry_of(fixture, {.error = "Y"}, {1, 1}), "1:7500");
  EXPECT_EQ(retry_of(fixture, {.error = "Y"}, {1, 2}), "1:8000");
}

TEST(Retry, FullJitterDrawsFromNothingToTheDelay) {
  const StateFixture fixture(
      task_with(R"("Retry":[{"ErrorEquals":["X"],"IntervalSeconds":10,"JitterStrategy":"FULL"}])"));
  EXPECT_EQ(retry_of(fixture, {.error = "X"}, {}, 0), "0:0");
  EXPECT_EQ(retry_of(fixture, {.error = "X"}, {}, uint64_t{1} << 63), "0:5000");
}

TEST(Retry, LongBackoffsEnd) {
  const StateFixture fixture(
      task_with(R"("Retry":[{"ErrorEquals":["X"],"MaxAttempts":99999999,"BackoffRate":1e300}])"));
  EXPECT_EQ(retry_of(fixture, {.error = "X"}, {90'000'000}), "0:31536000000");
}

TEST(Retry, NeverTriesARuntimeErrorAgain) {
  const StateFixture fixture(task_with(R"("Retry":[{"ErrorEquals":["States.Runtime"]}])"));
  EXPECT_EQ(retry_of(fixture, {.error = "States.Runtime"}), "no");
}

TEST(FailureNames, FollowTheReservedNames) {
  struct Case {
    std::string name;
    Failure failure;
    bool names;
  };
  const Failure heartbeat{.error = "States.Timeout", .is_missed_heartbeat = true};
  const Failure timeout{.error = "States.Timeout"};
  const Case cases[] = {
      {"X", {.error = "X"}, true},
      {"X", {.error = "Y"}, false},
      {"States.ALL", {.error = "X"}, true},
      {"States.ALL", {.error = "States.DataLimitExceeded"}, false},
      {"States.DataLimitExceeded", {.error = "States.DataLimitExceeded"}, true},
      {"States.ALL", {.error = "States.Runtime"}, false},
      {"States.Runtime", {.error = "States.Runtime"}, true},
      {"States.TaskFailed", {.error = "States.Runtime"}, false},
      {"States.ALL", timeout, true},
      {"States.TaskFailed", {.error = "X"}, true},
      {"States.TaskFailed", timeout, false},
      {"States.Timeout", timeout, true},
      {"States.HeartbeatTimeout", timeout, false},
      {"States.HeartbeatTimeout", heartbeat, true},
      {"States.Timeout", heartbeat, true},
      {"States.TaskFailed", heartbeat, false},
      {"States.ALL", {.error = "", .has_error = false}, true},
      {"States.TaskFailed", {.error = "", .has_error = false}, true},
      {"", {.error = "", .has_error = false}, false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(names_failure({&each.name, 1}, each.failure), each.names) << each.name << " of " << each.failure.error;
  }
}

std::string caught_by(StateFixture& fixture, std::string_view input, const Failure& failure) {
  std::string catcher;
  const std::string text = outcome([&] {
    auto caught = catch_error(fixture.state(), fixture.scope(input), failure);
    if (!caught) return Exit{.output = make_document("nobody")};
    catcher = std::to_string(caught->catcher) + " ";
    return std::move(caught->exit);
  });
  return catcher + text;
}

TEST(Catch, PutsTheErrorWhereItsPathSays) {
  StateFixture fixture(task_with(
      R"("Catch":[{"ErrorEquals":["X"],"Next":"State","ResultPath":"$.error","Assign":{"why.$":"$.Cause"}},
                  {"ErrorEquals":["Y"],"Next":"State","ResultPath":null},
                  {"ErrorEquals":["States.ALL"],"Next":"State"}])"));
  EXPECT_EQ(caught_by(fixture, R"({"a":1})", {.error = "X", .cause = "c"}),
            R"(0 {"a":1,"error":{"Error":"X","Cause":"c"}} | {"why":"c"} -> State)");
  EXPECT_EQ(caught_by(fixture, R"({"a":1})", {.error = "Y", .cause = "c"}), R"(1 {"a":1} -> State)");
  EXPECT_EQ(caught_by(fixture, R"({"a":1})", {.error = "Z", .cause = "c"}), R"(2 {"Error":"Z","Cause":"c"} -> State)");
  EXPECT_EQ(caught_by(fixture, R"({"a":1})", {.error = "States.Runtime"}), R"("nobody")");
  EXPECT_EQ(caught_by(fixture, "{}", {.has_error = false, .has_cause = false}), "2 {} -> State");
}

TEST(Catch, OfAParallelKnowsFailedBranches) {
  StateFixture fixture(
      task_with(R"("Catch":[{"ErrorEquals":["States.BranchFailed"],"Next":"State"}])",
                R"("Type":"Parallel","Branches":[{"StartAt":"P","States":{"P":{"Type":"Succeed"}}}])"));
  EXPECT_EQ(caught_by(fixture, "{}", {.error = "X", .cause = "c"}), R"(0 {"Error":"X","Cause":"c"} -> State)");
}

}  // namespace
}  // namespace tidemill::lang::states

// The simulation of processes that share a store and run executions: they die, they stall for longer than their leases
// last, and their clocks differ by seconds. What must hold:
//
// - a task is called only by the process that owns the calls then;
// - no attempt of a task is called whose result stands in a history;
// - once the trouble is over every execution ends, with the output and the events of one that nothing has disturbed.
//
//   TIDEMILL_SIM_SEED=17    runs that seed only
//   TIDEMILL_SIM_SEEDS=N    runs the seeds 1 to N
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/log.h"
#include "services/states/cluster_testing.h"

namespace tidemill::states {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Cluster;
using Process = Cluster::Process;

#if __has_feature(address_sanitizer)
constexpr uint64_t kSeedsByDefault = 40;
#else
constexpr uint64_t kSeedsByDefault = 200;
#endif
constexpr size_t kProcesses = 2;
constexpr auto kClockDifferenceMax = seconds(3);
constexpr auto kStallMax = seconds(30);  // a lease lasts for ten
constexpr auto kCallMax = seconds(8);
constexpr int kStepsMax = 200'000;

// Branches with a wait, a map whose second item fails once, and a task that somebody answers by its token.
constexpr std::string_view kBranches = R"json({"StartAt":"Both","States":{
  "Both":{"Type":"Parallel","Next":"Last","Branches":[
    {"StartAt":"Set","States":{
      "Set":{"Type":"Pass","Assign":{"n":1},"Next":"Sleep"},
      "Sleep":{"Type":"Wait","Seconds":5,"Next":"Add"},
      "Add":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($n, 1)"},"End":true}}},
    {"StartAt":"Each","States":{
      "Each":{"Type":"Map","ItemsPath":"$.items","MaxConcurrency":2,"End":true,
        "ItemProcessor":{"StartAt":"Do","States":{
        "Do":{"Type":"Task","Resource":"arn:aws:states:::test:do","ResultSelector":{"did.$":"$.did"},"End":true,
          "Retry":[{"ErrorEquals":["Once"],"IntervalSeconds":1,"MaxAttempts":1}]}}}}}},
    {"StartAt":"Ask","States":{
      "Ask":{"Type":"Task","Resource":"arn:aws:states:::test:ask.waitForTaskToken","TimeoutSeconds":3600,"End":true}}}]},
  "Last":{"Type":"Task","Resource":"arn:aws:states:::test:last","ResultSelector":{"did.$":"$.did"},"End":true}}})json";

// A distributed map over standard children.
constexpr std::string_view kChildren = R"json({"StartAt":"Each","States":{
  "Each":{"Type":"Map","ItemsPath":"$.items","MaxConcurrency":2,"Label":"Each","Next":"Last",
    "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"Do","States":{
      "Do":{"Type":"Task","Resource":"arn:aws:states:::test:do","ResultSelector":{"did.$":"$.did"},"End":true,
        "Retry":[{"ErrorEquals":["Once"],"IntervalSeconds":1,"MaxAttempts":1}]}}}},
  "Last":{"Type":"Task","Resource":"arn:aws:states:::test:last","ResultSelector":{"did.$":"$.did"},"End":true}}})json";

constexpr std::string_view kInput = R"({"items":[1,2,3]})";
constexpr std::string_view kMachines[] = {"branches", "children"};
constexpr int kExecutionsOfEach = 2;

// What came of an execution, whenever it ran.
struct Seen {
  std::string status;
  std::string output;
  std::vector<std::string> events;  // sorted: what goes on at the same time has no order
  bool are_numbered = true;
  bool operator==(const Seen&) const = default;
};

class Simulation {
 public:
  Simulation(uint64_t seed, store::SimFaults faults)
      : cluster_(seed, faults,
                 [this](Process& process, tasks::TaskCall call) { return play(process, std::move(call)); }) {}

  // `troubles` befall the processes on the way.
  void run(int troubles) {
    while (cluster_.processes.size() < kProcesses) start_process();
    create();
    for (const std::string_view machine : kMachines) {
      for (int i = 0; i < kExecutionsOfEach; ++i) begin(machine, i);
    }
    for (; troubles > 0; --troubles) {
      cluster_.run_steps(20 + static_cast<int>(cluster_.pick(400)));
      befall();
    }
    cluster_.wake_up(true);
    is_calm_ = true;
    while (cluster_.living() < kProcesses) start_process();
    for (int minutes = 0; minutes < 10 && !have_all_ended(); ++minutes) cluster_.pass(seconds(60));
  }

  [[nodiscard]] Seen look(std::string_view machine, int number) const {
    const ExecutionAddress address = address_of(machine, number);
    const ExecutionRecord record = cluster_.execution(address);
    Seen seen{.status = std::string(name_of(record.status)), .output = record.output.value_or(""), .events = {}};
    int64_t expected = 0;
    for (const std::string& line : cluster_.history(address)) {
      const json::Value event = json::parse(line).value();
      seen.are_numbered = seen.are_numbered && event.find("id")->to_int64() == ++expected;
      seen.are_numbered = seen.are_numbered && *event.find("previousEventId")->to_int64() < expected;
      std::string text = event.find("type")->string();
      // An answer that came before a crash ends its task without it.
      if (text == "TaskSubmitted") continue;
      for (const auto& [name, value] : event.object()) {
        if (const json::Value* state = value.find("name")) text += " " + state->string();
      }
      seen.events.push_back(std::move(text));
    }
    std::ranges::sort(seen.events);
    return seen;
  }

  [[nodiscard]] size_t calls() const { return serial_; }
  [[nodiscard]] size_t again() const { return again_; }

 private:
  static ExecutionAddress address_of(std::string_view machine, int number) {
    return {std::string(Cluster::kAccount), std::string(Cluster::kRegion), std::string(machine),
            base::cat("e-", number)};
  }

  // ---- trouble ----

  void start_process() {
    const auto most = static_cast<uint64_t>(milliseconds(kClockDifferenceMax).count());
    cluster_.start_process(
        milliseconds(static_cast<int64_t>(cluster_.pick(2 * most + 1)) - static_cast<int64_t>(most)));
  }

  void befall() {
    Process* const victim = cluster_.any_awake();
    if (!victim) return;
    if (cluster_.chance(0.5)) {
      victim->executor.stall();
      victim->wakes_up = cluster_.clock.now() + milliseconds(cluster_.pick(milliseconds(kStallMax).count()));
    } else {
      victim->die();
      start_process();
    }
  }

  // ---- clients ----

  void create() {
    for (const auto& [name, definition] : {std::pair(kMachines[0], kBranches), std::pair(kMachines[1], kChildren)}) {
      const json::Value request = json::Object{{"name", name}, {"definition", definition}, {"roleArn", Cluster::kRole}};
      cluster_.request("CreateStateMachine", json::write(request), [](const std::string& answer, bool refused) {
        EXPECT_FALSE(refused) << answer;
        return true;
      });
    }
    for (int step = 0; step < kStepsMax && cluster_.has_requests(); step += 100) cluster_.run_steps(100);
    ASSERT_FALSE(cluster_.has_requests()) << "the machines were not made";
  }

  void begin(std::string_view machine, int number) {
    const ExecutionAddress address = address_of(machine, number);
    const json::Value request =
        json::Object{{"stateMachineArn", address.machine_arn()}, {"name", address.name}, {"input", kInput}};
    cluster_.request("StartExecution", json::write(request), [this](const std::string& answer, bool refused) {
      // Begun by one who died before he could say so, and over by now.
      if (refused && !answer.starts_with("ExecutionAlreadyExists")) return false;
      ++begun_;
      return true;
    });
  }

  // As a consumer that may be given the same token twice.
  void answer(const std::string& token) {
    const json::Value request = json::Object{{"taskToken", token}, {"output", R"({"answered":true})"}};
    cluster_.request("SendTaskSuccess", json::write(request), [](const std::string& answer, bool refused) {
      return !refused || answer.starts_with("TaskTimedOut") || answer.starts_with("TaskDoesNotExist");
    });
  }

  [[nodiscard]] bool have_all_ended() const {
    if (begun_ < std::size(kMachines) * kExecutionsOfEach || cluster_.has_requests()) return false;
    for (const std::string_view machine : kMachines) {
      for (int i = 0; i < kExecutionsOfEach; ++i) {
        if (cluster_.execution(address_of(machine, i)).status == Status::running) return false;
      }
    }
    return true;
  }

  // ---- tasks ----

  Task<tasks::TaskOutcome> play(Process& process, tasks::TaskCall call) {
    EXPECT_EQ(cluster_.owner_of(kCallTimer), process.name) << "calls " << call.state_name;
    std::set<std::string>& given = given_[call.attempt_name];
    again_ += given.empty() ? 0 : 1;
    for (const std::string& event : cluster_.history(parse_execution_arn(call.execution_arn))) {
      for (const std::string& serial : given) {
        EXPECT_EQ(event.find(serial), std::string::npos) << "called again: its result stands in " << event;
      }
    }
    const std::string serial = base::cat("serial ", ++serial_, ".");
    given.insert(serial);
    base::Clock& clock = process.executor.clock();
    if (!is_calm_ && cluster_.chance(0.5)) {
      co_await clock.sleep_until(clock.now() + milliseconds(cluster_.pick(milliseconds(kCallMax).count())));
    }
    if (!call.token.empty()) {
      answer(call.token);
      co_return tasks::Submitted{.output = json::Object{{"serial", serial}}, .execution_arn = {}};
    }
    if (fails(call)) co_return tasks::Failed{.error = "Once", .cause = serial};
    co_return tasks::Succeeded{json::Object{{"did", call.parameters}, {"serial", serial}}};
  }

  // The second item's first attempt, each time that it is called.
  bool fails(const tasks::TaskCall& call) {
    const bool is_second = call.parameters.is_number() && call.parameters.number_text() == "2";
    return is_second &&
           first_attempts_.try_emplace(call.execution_arn, call.attempt_name).first->second == call.attempt_name;
  }

  Cluster cluster_;
  bool is_calm_ = false;
  size_t begun_ = 0;
  size_t serial_ = 0;
  size_t again_ = 0;                                    // calls of an attempt that was called before
  std::map<std::string, std::set<std::string>> given_;  // by the attempt's name
  std::map<std::string, std::string> first_attempts_;   // by the execution
};

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

class StatesClusterSimulation : public ::testing::Test {
 protected:
  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override { base::set_log_level(base::Level::info); }
};

TEST_F(StatesClusterSimulation, ExecutionsEndAsIfNothingHadHappenedUnderEverySeed) {
  Simulation quiet(1, store::SimFaults::none());
  quiet.run(0);
  const uint64_t only = from_environment("TIDEMILL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : from_environment("TIDEMILL_SIM_SEEDS", kSeedsByDefault);
  size_t again = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    Simulation simulation(seed, store::SimFaults{});
    simulation.run(4 + static_cast<int>(seed % 12));
    again += simulation.again();
    for (const std::string_view machine : kMachines) {
      const Seen expected = quiet.look(machine, 0);
      EXPECT_EQ(expected.status, "SUCCEEDED") << machine;
      for (int i = 0; i < kExecutionsOfEach; ++i) {
        const Seen seen = simulation.look(machine, i);
        EXPECT_EQ(seen.status, expected.status) << machine;
        EXPECT_EQ(seen.output, expected.output) << machine;
        EXPECT_EQ(seen.events, expected.events) << machine;
        EXPECT_TRUE(seen.are_numbered) << machine;
      }
    }
    if (HasFailure()) FAIL() << "under TIDEMILL_SIM_SEED=" << seed;  // but for the order of ids, which are random
  }
  if (only == 0) {
    EXPECT_GT(again, 0u) << "nothing was lost on the way: this shows nothing";
  }
}

}  // namespace
}  // namespace tidemill::states

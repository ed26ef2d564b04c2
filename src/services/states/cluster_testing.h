// For simulations: several processes with Step Functions over one simulated store. Each has a clock of its own and
// claims what moves by itself by leases; it may die, or stall for longer than those last. Clients ask some process that
// lives, and another one when it dies before it has answered.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/ordered.h"
#include "base/sim_process.h"
#include "base/text.h"
#include "engine/leased_ownership.h"
#include "services/states/service.h"
#include "store/keys.h"
#include "store/sim_store.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/registry.h"

namespace tidemill::states::testing {

class Cluster {
 public:
  static constexpr std::string_view kAccount = "000000000000";
  static constexpr std::string_view kRegion = "us-east-1";
  static constexpr std::string_view kRole = "arn:aws:iam::000000000000:role/r";

  class Process;
  // What the test makes of a task's call in a process.
  using Play = std::function<Task<tasks::TaskOutcome>(Process& process, tasks::TaskCall call)>;

  class Process {
   public:
    Process(Cluster& cluster, std::string own_name, base::Duration offset);
    ~Process() { die(); }
    void start();
    void die();
    [[nodiscard]] bool lives() const { return ownership_ != nullptr; }
    // Asks one of its operations; `ended` is told the answer or the refusal, unless the process dies first.
    void ask(std::string operation, std::string body, std::function<void(std::string answer, bool refused)> ended);

    const std::string name;
    base::SimProcess executor;
    base::Time wakes_up{};  // while it stalls

   private:
    Task<void> carry_out(std::string operation, std::string body, std::function<void(std::string, bool)> ended);

    wire::PlatformMetrics gathered_;
    wire::Registry registry_;
    wire::Platform platform_;
    std::unique_ptr<engine::LeasedOwnership> ownership_;
    std::unique_ptr<engine::TimerService> timers_;
    std::unique_ptr<Service> service_;
    base::Scope requests_;
  };

  Cluster(uint64_t seed, store::SimFaults faults, Play play);
  ~Cluster();

  Process& start_process(base::Duration clock_ahead = {});
  // Null: none that is not stalled.
  Process* any_awake();
  [[nodiscard]] size_t living() const;
  void wake_up(bool all);

  // Somebody is asked until `is_done` takes the answer or the refusal.
  void request(std::string operation, std::string body,
               std::function<bool(const std::string& answer, bool refused)> is_done);
  [[nodiscard]] bool has_requests() const { return !errands_.empty(); }

  // Runs so many steps; when nothing is left to run, time passes.
  void run_steps(int steps);
  void pass(base::Duration time);

  uint64_t pick(uint64_t below) { return random_() % below; }
  bool chance(double probability) { return static_cast<double>(pick(1'000'000)) < probability * 1e6; }

  // What is on disk.
  [[nodiscard]] std::string owner_of(std::string_view timers) const;
  [[nodiscard]] ExecutionRecord execution(const ExecutionAddress& address) const;
  // Its events, one after the other.
  [[nodiscard]] std::vector<std::string> history(const ExecutionAddress& address) const;

  base::VirtualClock clock{base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)),
                           base::VirtualClock::Mode::manual};
  base::SimExecutor machine;
  std::vector<std::unique_ptr<Process>> processes;

 private:
  friend class Process;
  class Player;
  struct Errand {
    std::string operation;
    std::string body;
    std::function<bool(const std::string&, bool)> is_done;
    Process* by = nullptr;  // who is asked; null: nobody yet
    bool is_over = false;
  };
  void send_errands();

  std::mt19937_64 random_;
  base::Metrics metrics_;
  store::SimDisk disk_;
  std::unique_ptr<store::SimStore> store_;
  const Play play_;
  std::vector<std::shared_ptr<Errand>> errands_;
};

class Cluster::Player final : public tasks::Caller {
 public:
  Player(Cluster& cluster, Process& process) : cluster_(cluster), process_(process) {}
  [[nodiscard]] std::optional<std::string> refusal(const tasks::Resource&) const override { return std::nullopt; }
  Task<tasks::TaskOutcome> call(const tasks::TaskCall& call) override { return cluster_.play_(process_, call); }
  [[nodiscard]] tasks::TaskOutcome end_of_nested(const tasks::Resource&, const tasks::NestedEnd& end) const override {
    if (end.status == "SUCCEEDED") return tasks::Succeeded{end.description};
    return tasks::Failed{.error = "States.TaskFailed", .cause = json::write(end.description)};
  }

 private:
  Cluster& cluster_;
  Process& process_;
};

inline Cluster::Process::Process(Cluster& cluster, std::string own_name, base::Duration offset)
    : name(std::move(own_name)),
      executor(cluster.machine, cluster.clock, offset),
      gathered_(executor.clock()),
      platform_{*cluster.store_, executor.clock(), cluster.metrics_, registry_, &gathered_},
      ownership_(std::make_unique<engine::LeasedOwnership>(*cluster.store_, executor.clock(), name)),
      timers_(std::make_unique<engine::TimerService>(*cluster.store_, executor.clock(), *ownership_)),
      service_(std::make_unique<Service>(platform_, std::make_unique<Player>(cluster, *this),
                                         ServiceOptions{.evaluates_on_threads = false})) {
  service_->register_operations(registry_);
  service_->register_timers(*timers_);
}

inline void Cluster::Process::start() {
  const base::Executor::Enter enter(executor);
  ownership_->start();
  timers_->start();
}

inline void Cluster::Process::die() {
  if (!lives()) return;
  {
    const base::Executor::Enter enter(executor);
    requests_.clear();
    timers_.reset();
    service_.reset();
  }
  ownership_.reset();
  executor.kill();
}

inline void Cluster::Process::ask(std::string operation, std::string body,
                                  std::function<void(std::string, bool)> ended) {
  const base::Executor::Enter enter(executor);
  requests_.spawn(carry_out(std::move(operation), std::move(body), std::move(ended)));
}

inline Task<void> Cluster::Process::carry_out(std::string operation, std::string body,
                                              std::function<void(std::string, bool)> ended) {
  wire::Context context(platform_, std::string(kAccount), std::string(kRegion), "request", "tester");
  wire::WireResponse response;
  std::string refusal;
  try {
    co_await registry_.find("states", operation)->on_wire(context, wire::WireRequest{.body = body}, response);
  } catch (const wire::Error& error) {
    refusal = base::cat(error.code, ": ", error.message);
  } catch (const store::Overloaded& error) {
    refusal = base::cat("Overloaded: ", error.what());
  }
  ended(refusal.empty() ? std::move(response.body) : refusal, !refusal.empty());
}

inline Cluster::Cluster(uint64_t seed, store::SimFaults faults, Play play)
    : machine(seed, clock.activity()),
      random_(seed * 0x9e3779b97f4a7c15 + 1),
      store_(store::make_sim_store(disk_, machine, clock, faults)),
      play_(std::move(play)) {}

inline Cluster::~Cluster() {
  const auto hold = clock.activity().hold();
  for (const auto& process : processes) process->die();
  machine.drop_all();
  processes.clear();
  store_.reset();
}

inline Cluster::Process& Cluster::start_process(base::Duration clock_ahead) {
  processes.push_back(std::make_unique<Process>(*this, base::cat("p-", processes.size()), clock_ahead));
  processes.back()->start();
  return *processes.back();
}

inline Cluster::Process* Cluster::any_awake() {
  std::vector<Process*> all;
  for (const auto& process : processes) {
    if (process->lives() && !process->executor.is_stalled()) all.push_back(process.get());
  }
  return all.empty() ? nullptr : all[pick(all.size())];
}

inline size_t Cluster::living() const {
  return static_cast<size_t>(std::ranges::count_if(processes, [](const auto& process) { return process->lives(); }));
}

inline void Cluster::wake_up(bool all) {
  for (const auto& process : processes) {
    if (!process->lives() || !process->executor.is_stalled()) continue;
    if (all || process->wakes_up <= clock.now()) process->executor.wake_up();
  }
}

inline void Cluster::request(std::string operation, std::string body,
                             std::function<bool(const std::string&, bool)> is_done) {
  errands_.push_back(std::make_shared<Errand>(Errand{std::move(operation), std::move(body), std::move(is_done)}));
}

inline void Cluster::send_errands() {
  std::erase_if(errands_, [](const auto& errand) { return errand->is_over; });
  for (const auto& errand : errands_) {
    if (errand->by && errand->by->lives()) continue;
    errand->by = any_awake();
    if (!errand->by) return;
    errand->by->ask(errand->operation, errand->body, [errand](const std::string& answer, bool refused) {
      errand->is_over = errand->is_done(answer, refused);
      errand->by = nullptr;
    });
  }
}

inline void Cluster::run_steps(int steps) {
  constexpr int kStepsBetweenLooks = 10;
  for (int step = 0; step < steps; ++step) {
    if (step % kStepsBetweenLooks == 0) {
      wake_up(false);
      send_errands();
    }
    if (machine.run_one()) continue;
    clock.advance_to(clock.now() + std::chrono::milliseconds(1 + pick(3000)), [] {});
  }
}

inline void Cluster::pass(base::Duration time) {
  const base::Time end = clock.now() + time;
  while (clock.now() < end) {
    send_errands();
    machine.run_until_idle();
    clock.advance_to(std::min(end, clock.now() + std::chrono::seconds(1)), [] {});
    machine.run_until_idle();
  }
}

// As store/lease.cc has it.
inline std::string Cluster::owner_of(std::string_view timers) const {
  const std::string key = base::cat(std::string{static_cast<char>(store::KeySpace::lease), 'l'}, "timers/", timers);
  const auto found = disk_.data.find(key);
  return found == disk_.data.end() ? "nobody" : base::OrderedReader(found->second).string();
}

inline ExecutionRecord Cluster::execution(const ExecutionAddress& address) const {
  const auto found = disk_.data.find(execution_key(address));
  EXPECT_TRUE(found != disk_.data.end()) << address.arn() << " is lost";
  return found == disk_.data.end() ? ExecutionRecord() : decode_execution(address, found->second);
}

inline std::vector<std::string> Cluster::history(const ExecutionAddress& address) const {
  std::vector<std::string> events;
  const std::string prefix = history_prefix(execution(address).id);
  for (auto at = disk_.data.lower_bound(prefix); at != disk_.data.end() && at->first.starts_with(prefix); ++at) {
    std::string_view text = at->second;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      events.emplace_back(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }
  return events;
}

}  // namespace tidemill::states::testing

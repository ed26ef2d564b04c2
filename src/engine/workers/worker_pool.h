// All workers of a server and the calls on their way to them: what stands behind Workers. On the pool's loop, but where
// it says otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/blocking_work.h"
#include "engine/workers/place_lines.h"
#include "engine/workers/scratch_removal.h"
#include "engine/workers/worker.h"
#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers.h"
#include "wire/faults.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {

// A function's version.
[[nodiscard]] inline std::string key_of(const FunctionSpec& spec) { return spec.arn + ":" + spec.version; }

// What the directories of workers are named, before their number.
inline constexpr std::string_view kWorkerDirectory = "worker-";

struct Workers::Impl : Worker::Owner, std::enable_shared_from_this<Workers::Impl> {
  // The processes of one revision of a function, and the calls that wait for one of them.
  struct Group {
    std::shared_ptr<const FunctionSpec> spec;
    std::deque<std::unique_ptr<WorkerCall>> waiters;
    std::vector<Worker*> idle;  // the last used at the end
    size_t starting = 0;
    bool retired = false;
    // Processes that are kept whether calls come or not.
    size_t provisioned = 0;  // so many are wanted
    size_t kept = 0;         // so many there are
    size_t kept_ready = 0;   // of these have started
    int barren_ends = 0;     // of these that ended without having had a call, one after the other
    bool keeps_none = false;  // they do not start: no more are tried
    bool warned_of_substitute = false;
    size_t failed_starts = 0;  // environments whose next start is, on AWS, part of the invocation that needs them
  };

  struct Member {
    std::shared_ptr<Worker> worker;
    std::shared_ptr<Group> group;
    bool starting = true;
    bool is_provisioned = false;
    bool is_ready = false;   // counted in kept_ready
    bool is_barren = true;   // has had no call
    std::string works_in;    // the pool_of() that it is counted in, in `at_work`; empty: it is idle
    base::Time idle_since{};  // the machine's time
  };

  Impl(net::Loop& on, base::Clock& time, base::Metrics& metrics, WorkersOptions settings);
  ~Impl() override;

  // ---- Calls: worker_pool.cc ----

  void submit(std::unique_ptr<WorkerCall> call);
  // One of those that are kept before others; of these, who was used last. Null: none is idle.
  Worker* take_idle(Group& group);
  void dispatch(Worker& worker, std::unique_ptr<WorkerCall> call);
  void complete(std::unique_ptr<WorkerCall> call, InvocationResult result);
  // The group of the spec's revision, or of a newer one; that of an older revision is retired and its waiting calls move
  // over.
  std::shared_ptr<Group> group_for(const std::shared_ptr<const FunctionSpec>& spec);
  void retire(Group& group);
  void retire_function(const std::string& arn, std::string_view version);
  void fail_waiter(Group& group, InvocationResult result);

  // ---- What workers report: worker_pool.cc ----

  void on_idle(Worker& worker) override;
  void on_unusable(Worker& worker) override;
  void on_start_failed(Worker& worker, StartFailure failure) override;
  // What the call comes to, which the log says as well.
  static InvocationResult start_failure_result(Worker& worker, const WorkerCall& call, StartFailure& failure);
  void on_call_done(Worker&, std::unique_ptr<WorkerCall> call, InvocationResult result) override;
  void on_ended(Worker& worker) override;

  // ---- Places: worker_places.cc ----

  // Counts the call in, if there is a free place for it. Calls that wait for a process have one.
  bool admit(WorkerCall& call);
  void release(const WorkerCall& call);
  // Of those, how many who wait in line may have. Places help nobody while there is no room for another process: their
  // own pauses hold until then.
  [[nodiscard]] int free_in_line(const FunctionSpec& spec) const;
  // Of the calls of the function's pool_of(), how many may run.
  [[nodiscard]] int places(const FunctionSpec& spec) const;
  // How many more calls of the function may run.
  [[nodiscard]] int free_places(const FunctionSpec& spec) const;
  // Of these, those that only the version has.
  [[nodiscard]] int free_provisioned(const FunctionSpec& spec) const;
  // An answered call has no place any more, but its process may go on until it asks for the next invocation; until then it
  // is at work, as on AWS, and so is one that starts. While as many are as calls may run, no other is started: who waits
  // gets the next that asks, or one in the place of the next that ends. Each does the one or the other in the end.
  [[nodiscard]] bool as_many_work_as_may(const FunctionSpec& spec) const;
  void work(Member& member);
  void rest(Member& member);
  static int count_in(const std::unordered_map<std::string, int>& counts, const std::string& key);
  static std::string place_of(const FunctionSpec& spec);
  // What the function's places are shared by: itself, or all in the account's region that reserve nothing.
  static std::string pool_of(const FunctionSpec& spec);
  // A call that was throttled before and comes because its own time is up: the places that there are go to those who
  // were called.
  bool is_before_its_turn(const PlaceTurnPtr& turn, const FunctionSpec& spec) const;

  // ---- Starting: worker_starts.cc ----

  void start_workers(const std::shared_ptr<Group>& group);
  // How processes of the function are started; or why they cannot be: failed, or throttled for want of a resource.
  [[nodiscard]] std::expected<Launch, InvocationResult> launch_of(const FunctionSpec& spec);
  void start_worker(const std::shared_ptr<Group>& group, const Launch& launch, int attempt,
                    bool is_provisioned = false);
  // As many processes live as may. An idle one of another function makes room; without any, whoever no process of its
  // function will become free for is throttled.
  void wait_for_room(Group& group);
  void started(Member& member);
  // A start has ended: others that waited for their turn may begin.
  void start_more();

  // ---- Processes that are kept, whether calls come or not: provisioned_processes.cc ----

  void provision(const std::string& arn, const std::vector<Provision>& versions, uint64_t edition);
  void keep(const std::shared_ptr<Group>& group, size_t count);
  // It stays as any other does.
  static void give_up(Member& member);
  // Starts those that are wanted and not there, as far as their turn has come.
  void keep_processes(const std::shared_ptr<Group>& group);
  // Something is wanting that there may be soon: none is started for a pause, and then those that are wanted.
  void keep_later();
  void tell_provisioned(const Group& group);
  // One of them is no more.
  void lose(Member& member);

  // ---- Housekeeping, in the machine's time: worker_housekeeping.cc ----

  void end_longest_idle();
  bool end_longest_idle_of_all();
  // Of more idle processes than that. False: there are no more.
  bool end_longest_idle_beyond(size_t kept);
  static bool is_idle(const Member& member);
  static void end_idle(Member& member);
  void arm_sweep();
  void sweep();
  void arm_memory_watch();
  void watch_memory();

  // ---- Metrics: worker_usage.cc ----

  void measure(const wire::PlatformMetric& metric, const FunctionSpec& spec, double value);
  // A call that begins, of a version with processes that are kept.
  void measure_provisioned(Member& member, const WorkerCall& call);
  // Of a call that a process has had.
  void measure_end(const WorkerCall& call, const InvocationResult& result);
  // Of a call that a process gets.
  void measure_begin(const FunctionSpec& spec);
  void count_throttle(const FunctionSpec& spec);
  // What a call comes to that a fault has struck: the function does not run. Any thread.
  InvocationResult struck(const FunctionSpec& spec, const Invocation& invocation, const wire::Faults::Blow& blow);

  // ---- What it has ----

  // A start that takes too long is repeated once.
  static constexpr int kStartAttempts = 2;
  // How long nobody in line is called, and none started that is only kept, after a process could not be started for
  // want of something.
  static constexpr std::chrono::seconds kNoRoomPause{1};
  // Processes that start at the same time, of all functions and of one: more only delay each other.
  const int starts_max = std::max(8, 4 * static_cast<int>(std::thread::hardware_concurrency()));
  const size_t starts_of_one_max = static_cast<size_t>(starts_max) / 2;

  net::Loop& loop;
  base::Clock& clock;
  const WorkersOptions options;
  HostRuntimes runtimes;
  base::Counter& invocations;
  base::Counter& errors;
  base::Counter& throttles;
  base::Counter& starts;
  std::shared_ptr<std::atomic<int64_t>> alive = std::make_shared<std::atomic<int64_t>>(0);

  std::unordered_map<std::string, std::shared_ptr<Group>> groups;  // by key_of
  std::unordered_map<Worker*, Member> members;
  std::unordered_map<std::string, int> running;  // calls that processes have, by the function's ARN
  // Calls, waiting and running: by their function's ARN, and those that are within no reservation by account and
  // region; and, counted in neither, those that have provisioned places.
  std::unordered_map<std::string, int> of_function;
  std::unordered_map<std::string, int> unreserved;
  std::unordered_map<std::string, int> in_provisioned;  // by version
  std::unordered_map<std::string, int> at_work;  // processes that are not idle, by pool_of()
  bool starts_held = false;  // somebody waits for one of those
  std::unordered_map<std::string, uint64_t> provision_editions;  // by the function's ARN
  mutable std::mutex provisioned_mutex;
  std::unordered_map<std::string, Provisioned> provisioned_now;  // by version; of those that have any
  std::atomic<size_t> under_way = 0;  // of all functions
  std::atomic<bool> refuses = false;
  base::Time no_room_until{};  // for another process
  int starting = 0;
  uint64_t worker_count = 0;
  bool sweep_armed = false;
  bool memory_watch_armed = false;
  bool keeps_later = false;  // keep_alarm is set
  base::Alarm keep_alarm;
  base::Alarm sweep_alarm;
  base::Alarm memory_alarm;

  std::shared_ptr<PlaceLines> lines;
  base::BlockingWork disk;   // removes what processes leave behind
  ScratchRemoval removal{disk};
  // At the memory of processes, and at whose connections they are: one that has much to look at does not hold up all others.
  base::BlockingWork looks{2};
  base::Scope scope;        // watches over the processes
};

}  // namespace tidemill::engine

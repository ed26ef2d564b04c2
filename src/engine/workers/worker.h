// One process of a function and the runtime API that it speaks with us. The states of a worker:
//
//   starting ──GET next──▶ idle ──dispatch──▶ busy ──reply, GET next──▶ idle ...
//      └──────────────────────┴─────────────────┴──exit, timeout, too much memory──▶ ending ──▶ gone
//
// A reply and the next GET may come in either order of handling; the worker is idle once both are there. One whose process
// is being ended, or is gone, does not become idle any more: its next call would fail for what was not its fault.
#pragma once

#include <memory>
#include <string>

#include "base/blocking_work.h"
#include "base/executor.h"
#include "base/future.h"
#include "base/seldom_log.h"
#include "engine/workers/scratch_removal.h"
#include "engine/workers/worker_output.h"
#include "engine/workers/worker_processes.h"
#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers.h"
#include "net/http_server.h"
#include "net/process.h"

namespace tidemill::engine {

// An invocation on its way through the pool. The holder of the last of it must have finished it.
struct WorkerCall {
  std::shared_ptr<const FunctionSpec> spec;
  Invocation invocation;
  base::Future<InvocationResult> done;
  base::Activity::Hold activity;
  base::Time dispatched;  // to its process; the machine's time
  bool is_reserved = false;  // runs within what its function has reserved
  bool is_provisioned = false;  // has one of the places that are provisioned for its version

  void finish(InvocationResult result) {
    const std::shared_ptr<ResponseStream> stream = invocation.stream;
    done.set(std::move(result));
    if (stream) stream->end();
  }
};

// Why a worker never asked for an invocation.
struct StartFailure {
  InvokeStatus status = InvokeStatus::function_error;
  bool timed_out = false;
  std::string error_type;  // "Runtime.ExitError"
  std::string message;     // "Runtime exited with error: exit status 1"
  std::string document;    // what the process itself reported, if it did: the answer instead of the two above
};

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  // Everything is called on the loop.
  struct Owner {
    virtual ~Owner() = default;
    virtual void on_idle(Worker& worker) = 0;
    // One that was idle takes no calls any more: its process has hung up or is ending. on_ended follows.
    virtual void on_unusable(Worker& worker) = 0;
    // Before on_ended, and only for a worker that was never idle.
    virtual void on_start_failed(Worker& worker, StartFailure failure) = 0;
    // Each dispatched call ends exactly once.
    virtual void on_call_done(Worker& worker, std::unique_ptr<WorkerCall> call, InvocationResult result) = 0;
    // The process is gone. close() the worker from a posted function, not from here.
    virtual void on_ended(Worker& worker) = 0;
  };

  struct Setup {
    std::shared_ptr<const FunctionSpec> spec;
    Launch launch;
    std::filesystem::path temporary;  // made by start(), removed by close()
    std::string endpoint;
    FunctionLogs* logs = nullptr;     // where output goes beside the server's log; may be null
    const base::Clock* clock = nullptr;  // the platform's
    bool tells_time = false;          // the function is to see that one's time
    const Sandbox* sandbox = nullptr;  // null: it runs as the server does
    const FunctionKeys* keys = nullptr;  // of what the function signs with; null: nobody checks
    std::chrono::nanoseconds start_limit;
    int attempt = 1;  // counted by the pool
    bool is_provisioned = false;  // started before anybody calls
    bool starts_again = false;    // after a start that failed
    bool warn_of_substitute = false;  // if another version of the interpreter runs than was asked for
  };

  // `disk`, `looks`, which looks at processes and their connections, and `removal`, which has what they leave behind, outlive the worker.
  Worker(net::Loop& loop, base::BlockingWork& disk, base::BlockingWork& looks, ScratchRemoval& removal, Owner& owner,
         Setup setup);
  ~Worker();

  // Starts the process; `scope` watches it. If that fails on_start_failed and on_ended come later, never from here.
  void start(base::Scope& scope);
  // Hands a call to an idle worker. One that is unusable fails it as by a crash.
  void dispatch(std::unique_ptr<WorkerCall> call);
  // Kills the process. A call under way fails as by a crash, unless its answer is there; it gets no other.
  void end();
  // Has somebody look at how much memory the process uses; kills it if that is more than the function may.
  void check_memory();
  // Writes into the log what becomes of a call that has no process, as this one's start has failed.
  void report_not_run(const WorkerCall& call, const StartFailure& failure);
  // Frees process, port and directory, and drops every connection. Nothing is reported any more.
  void close();

  [[nodiscard]] bool busy() const { return call_ != nullptr; }
  [[nodiscard]] const FunctionSpec& spec() const { return *setup_.spec; }
  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] const std::string& log_tail() const { return output_.tail(); }

 private:
  enum class State { starting, idle, busy, ending, closed };
  class Parked;
  class Reading;

  // The runtime API: worker_api.cc.
  static Task<net::Response> serve(std::weak_ptr<Worker> worker, net::Request& request);
  static Task<void> watch(std::shared_ptr<Worker> self);
  Task<net::Response> next(std::string_view user_agent);
  Task<net::Response> answer(net::Request& request, std::string_view request_id, bool is_error);
  Task<net::Response> pass_on(net::Request& request, std::string_view request_id);
  [[nodiscard]] bool is_current(std::string_view request_id) const;
  net::Response take_answer(std::optional<std::string> body, const net::Request& request, bool is_error);
  Task<net::Response> init_error(net::Request& request);

  void judge(const std::string& peer, net::Decide decide);
  [[nodiscard]] bool is_own(std::optional<bool> own, const std::string& peer);
  void check_disk();
  void be_held(net::ProcessSpec& process);
  void memory_seen(uint64_t used, bool closely);
  [[nodiscard]] uint64_t memory_max() const;
  [[nodiscard]] StartFailure not_started(std::string message, bool for_want_of_resources) const;
  void fail_start(StartFailure failure);
  void report_failed_start(const StartFailure& failure);
  void start_timed_out();
  void timed_out();
  void take_no_more();
  void exited(net::ExitStatus status);
  void become_idle();
  // What the end of the process is called.
  [[nodiscard]] std::string exit_error();
  // `log_line`: what a log of text says of it.
  void fail_call(std::string_view error_type, std::string_view message, std::string_view log_line);
  void finish_soon(InvocationResult result);
  void finish();
  [[nodiscard]] bool report_wanted(const WorkerCall& call) const;
  void report();
  // Each in its turn, if there is one.
  void print(const std::vector<std::string>& platform_lines);
  void warn_of_substitute(std::string_view user_agent);
  [[nodiscard]] net::Response invocation_response(const WorkerCall& call) const;

  net::Loop& loop_;
  base::BlockingWork& disk_;
  base::BlockingWork& looks_;
  ScratchRemoval& removal_;
  Owner& owner_;
  const Setup setup_;
  State state_ = State::starting;
  bool ends_ = false;                               // its process is ending or gone: it takes no calls any more
  WorkerOutput output_;
  base::SeldomLog refused_{"runtime_api_refused"};
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<ControlGroup> group_;  // that holds its memory and CPU; null: nothing does
  std::unique_ptr<net::Process> process_;
  base::Alarm alarm_;                               // of the start, then of the invocation under way
  std::optional<base::Future<net::Response>> parked_;  // the GET that waits
  uint64_t parked_count_ = 0;                       // tells a waiting GET from one that replaced it
  std::unique_ptr<WorkerCall> call_;
  std::optional<InvocationResult> result_;          // of call_, once it is there
  int bodies_being_read_ = 0;                       // answers of call_
  base::Time started_;                              // of the process, then of the invocation; the machine's time
  std::optional<base::Duration> start_duration_;    // not yet reported
  std::string platform_error_;                      // for which the platform ended the invocation
  uint64_t memory_peak_ = 0;                        // bytes, as far as seen
  bool is_out_of_memory_ = false;                   // it was killed as it took too much
  uint64_t looks_at_memory_ = 0;
  bool is_looked_at_ = false;                       // just now
  bool is_disk_looked_at_ = false;                  // the same of its directory
  base::Time close_look_after_{};                   // the machine's time
};

}  // namespace tidemill::engine

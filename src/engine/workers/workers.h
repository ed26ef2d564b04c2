// Function workers: warm processes per function version, each speaking the Lambda Runtime API with us on a loopback
// port of its own. Takes a package that is already unpacked; knows nothing of the Lambda API's operations.
//
// A process handles one invocation at a time. An invocation takes the process that was used last; if none is free one is
// started, and whichever process becomes free first takes it. After a crash, a timeout or too much memory the process is
// replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/future.h"
#include "base/metrics.h"
#include "engine/invoker.h"
#include "engine/workers/function_keys.h"
#include "engine/workers/function_logs.h"
#include "engine/workers/response_stream.h"
#include "engine/workers/sandbox.h"
#include "net/loop.h"

namespace tidemill::wire {
class Faults;
class PlatformMetrics;
}

namespace tidemill::engine {

// AWS's default limit of the calls of an account in a region that run at the same time.
inline constexpr int kAccountConcurrency = 1000;

// How a function's log looks. Levels are AWS's names; of records as text all are kept.
struct LogSettings {
  bool is_json = false;
  std::string application_level = "INFO";  // TRACE to FATAL
  std::string system_level = "INFO";       // DEBUG, INFO, WARN

  bool operator==(const LogSettings&) const = default;
};

struct FunctionSpec {
  std::string arn;              // unqualified
  std::string name;
  std::string version;          // "$LATEST", "3"
  std::string revision;         // changes with code and configuration: workers of an older revision are retired
  uint64_t edition = 0;         // of two revisions the newer has the greater one; of equal editions who comes last is newer
  std::string runtime;          // "python3.12"
  std::string handler;          // "app.handler"
  std::filesystem::path code;   // the unpacked package: LAMBDA_TASK_ROOT
  std::filesystem::path layers;  // what is to stand at /opt; empty: nothing
  std::map<std::string, std::string> environment;
  std::chrono::seconds timeout{3};
  int memory_mb = 128;
  std::string account;
  std::string region;
  std::string role_arn;         // that it acts under
  std::string log_group;        // "/aws/lambda/<name>"
  bool shares_log_group = false;  // it is one that was chosen, maybe for several functions
  LogSettings logging;
  std::string runtime_version_arn;
  // Of all its versions together; 0: it does not run. Nothing: it shares what the account has not reserved.
  std::optional<int> reserved_concurrency;
  int reserved_in_account = 0;  // what this and other functions have reserved
  // Of the places that it shares (its reserved ones, or else those of the account), those that are provisioned.
  int provisioned_in_pool = 0;
  int ephemeral_storage_mb = 512;  // of its temporary directory
};

struct Invocation {
  std::string request_id;
  std::string payload;
  std::string client_context;  // JSON for the handler's context; empty for none
  std::string function_arn;    // as the caller named it, with its qualifier; empty for the spec's
  std::string trace_header;    // "Root=…;Lineage=…", either or both; empty: the beginning of a chain
  bool want_tail = false;      // the last 4 KB of the log, LogType=Tail
  PlaceTurnPtr turn = {};      // of a call that has stood in line; may be null
  // Takes the answer as it comes, and then the result has no payload. Null: the result has all of it. What failed before it
  // began stands in the result either way.
  std::shared_ptr<ResponseStream> stream = {};
};

struct InvocationResult {
  InvokeStatus status = InvokeStatus::ok;
  std::string payload;
  std::string function_error;  // "Unhandled" or ""
  std::string log_tail;        // plain text
  std::string detail;          // why, for people; empty if ok
  bool is_over_reserved = false;  // throttled by the function's own limit, not by the account's
};

// Of one process to its runtime API: one that waits for the next invocation, one that answers, and what was not closed yet.
// Of more some wait until others end, or have been idle for seconds.
inline constexpr size_t kRuntimeConnectionsMax = 4;

struct WorkersOptions {
  std::string endpoint;                       // AWS_ENDPOINT_URL inside the function
  std::filesystem::path runtimes;             // our bootstraps, written there by the workers from what is embedded
  std::filesystem::path scratch;              // /tmp directories of workers live below; emptied at start
  int concurrency_max = kAccountConcurrency;  // of an account in a region; beyond: throttled
  size_t workers_max = SIZE_MAX;              // processes; beyond: an idle one ends, or the invocation is throttled
  std::chrono::seconds idle_max{600};         // a worker idle for longer is ended
  bool strict_runtimes = false;               // refuse a runtime version that the host lacks instead of the newest
  FunctionLogs* logs = nullptr;               // takes what functions print; outlives the workers. Null: the server's log only
  wire::PlatformMetrics* usage = nullptr;     // AWS/Lambda metrics; may be null
  bool tells_time = false;                    // functions are to see the platform's time, not the machine's
  bool may_mount = true;                      // false: no function gets a /opt of its own, as where the system forbids it
  std::optional<Sandbox> sandbox = {};        // that functions run in; nothing: they run as the server does
  std::string authorities;                    // in PEM: that functions trust beside the system's; empty: none
  const FunctionKeys* keys = nullptr;         // of what functions sign with; null: nobody checks. Outlives the workers
  wire::Faults* faults = nullptr;             // asked before each invocation; may be null
  std::string search_path;                    // where interpreters are looked for beside /usr/bin; default: $PATH
};

class Workers {
 public:
  // All on `loop`; invoke() may be called from any executor. Destroy on the loop or after it has stopped: kills all
  // processes. Throws std::filesystem::filesystem_error if its directories cannot be written.
  Workers(net::Loop& loop, base::Clock& clock, base::Metrics& metrics, WorkersOptions options);
  ~Workers();
  Workers(const Workers&) = delete;

  // Runs the function once and waits for its end, on the caller's executor. If the task is destroyed the invocation goes
  // on and its result is dropped. The payload of a function_error is AWS's document: {"errorType", "errorMessage", ...}.
  Task<InvocationResult> invoke(std::shared_ptr<const FunctionSpec> spec, Invocation invocation);

  // The same, waiting only until the call is on its way: for those that read invocation.stream meanwhile, whose end comes
  // no later than the result.
  Task<base::Future<InvocationResult>> begin(std::shared_ptr<const FunctionSpec> spec, Invocation invocation);

  // Stands in line for a place at the function, which has none (Invoker::wait_for_place). On any thread; `called` is
  // called on the pool's loop, before this returns if there is a place by now. Who was called and makes no call in turn
  // for kTurnMax has lost its turn. Null while a fault throttles the function: no place helps against that.
  static constexpr std::chrono::seconds kTurnMax{5};
  [[nodiscard]] PlaceTurnPtr wait_for_place(std::shared_ptr<const FunctionSpec> spec, base::Time since,
                                            std::function<void()> called);

  // Ends idle workers of a version of the function, or of all (""); busy ones end after their invocation. For updates and
  // deletions; from any thread.
  void retire(const std::string& function_arn, std::string_view version = {});

  // Keeps so many processes of each of these versions of the function started, whether calls come or not, and none of its
  // others. Their calls have places of their own. What an older `edition` says than was said last is not heard. Any thread.
  struct Provision {
    std::shared_ptr<const FunctionSpec> spec;
    int count = 0;
  };
  void provision(const std::string& function_arn, std::vector<Provision> versions, uint64_t edition);
  // How far that is. Any thread.
  struct Provisioned {
    int wanted = 0;
    int ready = 0;         // started, at work or not
    bool failed = false;   // they do not start: no more are tried until provision() is called again
  };
  [[nodiscard]] Provisioned provisioned(const std::string& function_arn, std::string_view version) const;

  // Before the server stops, from any thread: what is invoked from now on is throttled.
  void refuse_more();
  // Invocations that run or wait for a process. Any thread.
  [[nodiscard]] size_t under_way() const;

  // Whether this host can run `runtime`; if not, why, with the list of what is there. Any thread. Throws
  // std::system_error if that cannot be found out for want of descriptors.
  [[nodiscard]] std::optional<std::string> unsupported_reason(std::string_view runtime) const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::engine

#include "main/server.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/future.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/metrics.h"
#include "base/wants.h"
#include "base/work_activity.h"
#include "main/admin.h"
#include "main/descriptors.h"
#include "main/aws_names.h"
#include "main/explain_endpoint.h"
#include "main/faults_endpoint.h"
#include "main/process_metrics.h"
#include "main/services.h"
#include "main/tls_files.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "rights/authorizer.h"
#include "store/rocksdb_store.h"
#include "wire/faults.h"
#include "wire/front.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/pipeline/verify_signatures.h"

namespace tidemill {

namespace {

using namespace std::chrono_literals;

constexpr auto kStopSettle = 300ms;  // for what follows the last answer and the end of the last function
constexpr auto kStopLook = 2ms;

// Without a word of the user's: little of a small machine, and no more than databases of this size gain from.
constexpr uint64_t kCacheShareOfMemory = 16;
constexpr uint64_t kDefaultCacheBytesMin = 64 << 20;
constexpr uint64_t kDefaultCacheBytesMax = 1 << 30;

// Of calls that bring or tell much: what is short among them need not wait for what is long.
constexpr int kLargeCallLoops = 2;

size_t cache_bytes(const Options& options) {
  if (options.cache_bytes > 0) return options.cache_bytes;
  return std::clamp(base::memory_bytes() / kCacheShareOfMemory, kDefaultCacheBytesMin, kDefaultCacheBytesMax);
}

std::string_view name_of(ClockKind kind) {
  switch (kind) {
    case ClockKind::real: return "real";
    case ClockKind::virtual_time: return "virtual";
    case ClockKind::automatic: return "auto";
  }
  return "";
}

// `virtual_clock` is set if it can be turned.
std::unique_ptr<base::Clock> make_clock(ClockKind kind, base::VirtualClock** virtual_clock) {
  if (kind == ClockKind::real) return std::make_unique<base::RealClock>();
  const auto mode =
      kind == ClockKind::automatic ? base::VirtualClock::Mode::automatic : base::VirtualClock::Mode::manual;
  auto clock = std::make_unique<base::VirtualClock>(base::RealClock().now(), mode);
  *virtual_clock = clock.get();
  return clock;
}

// Where the kernel cannot hold them, their memory is looked at; that is said.
void hold_functions(engine::Sandbox& sandbox) {
  auto groups = engine::ControlGroups::open("/sys/fs/cgroup", base::text_if_any("/proc/self/cgroup"));
  if (groups) {
    base::log_info("control groups hold functions", {});
    sandbox.hold_with(*std::move(groups));
  } else {
    base::log_info("no control groups hold functions",
                   {{"reason", groups.error()},
                    {"so", "their memory is looked at every 25 ms, and their CPU is not limited"}});
  }
}

// Where functions run as the server does, they reach what it reaches: that is said where it is not what was asked for.
std::optional<engine::Sandbox> find_sandbox(const Options& options) {
  if (!wants_sandbox(options)) return std::nullopt;
  const char* path = std::getenv("PATH");
  auto found = engine::Sandbox::find(path ? path : "", options.function_network);
  if (found) {
    hold_functions(*found);
    return *std::move(found);
  }
  if (options.sandbox == Sandboxing::on) throw std::runtime_error("--sandbox on: " + found.error());
  base::log_warning("functions are not contained",
                    {{"reason", found.error()},
                     {"so they can", "read and change all files of the server's user, the data directory among them; see "
                                     "and end its processes; take other functions' code and credentials; fill the disk"}});
  return std::nullopt;
}

// Where this machine reaches a server that listens there: "127.0.0.1:4566", "[::1]:4566".
std::string own_authority(const std::string& bind, uint16_t port) {
  std::string address = bind;
  if (bind == "0.0.0.0") address = "127.0.0.1";
  else if (bind == "::") address = "::1";
  if (address.contains(':')) address = '[' + address + ']';
  return address + ':' + std::to_string(port);
}

// Runs `start` to its end on a loop that runs, and waits for it here. Throws what it throws.
void run_to_end(net::Loop& loop, base::Scope& scope, std::function<Task<void>()> start) {
  std::atomic<bool> done = false;
  std::exception_ptr failure;
  loop.post([&] {
    scope.spawn([](std::function<Task<void>()>& body, std::exception_ptr& error, std::atomic<bool>& flag) -> Task<void> {
      try {
        co_await body();
      } catch (...) {
        error = std::current_exception();
      }
      flag = true;
      flag.notify_one();
    }(start, failure, done));
  });
  done.wait(false);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

// In order of construction, and destroyed the other way round once the loops have stopped.
struct Server::Impl {
  explicit Impl(const Options& options)
      : grace(options.grace_seconds),
        clock(make_clock(options.clock, &virtual_clock)),
        loops(make_loops(options)),
        large_calls(make_loops_on(clock->activity(), kLargeCallLoops)),
        store(store::open_rocksdb({options.data, cache_bytes(options), condition}, *clock)),
        usage(*clock),
        platform{*store, *clock, metrics, registry, &usage, &faults},
        access_keys(*store, options.account),
        admin(*clock, virtual_clock, name_of(options.clock), *store, metrics) {
    // Time does not go back over a restart, also not behind what a virtual clock had been turned to.
    if (virtual_clock) virtual_clock->advance_to(store->snapshot()->version().time(), [] {});
    add_process_metrics(metrics);
    base::Histogram& turns = metrics.histogram("tidemill_loop_turn_seconds", "How long event loops were busy at once.");
    for (const auto& loop : loops) loop->measure_with(turns);
    add_store_metrics(metrics, *store, condition);
    admin.watch(condition);

    std::vector<net::Loop*> all;
    for (const auto& loop : loops) all.push_back(loop.get());
    const DescriptorShares share = share_descriptors(descriptor_limit());
    net::ServerLimits limits;
    auto sandbox = find_sandbox(options);
    const ConnectionShares connections = share_connections(share.connections, sandbox && sandbox->has_network());
    limits.connections_max = std::min(limits.connections_max, connections.own);
    limits.accepts_at_once = false;  // what comes before the services have started waits until they have
    Tls tls;
    if (speaks_tls(options)) tls = load_tls(options);
    http = std::make_unique<net::HttpServer>(all, options.bind, options.port, limits,
                                             [this](net::Request& request) { return front->handle(request); },
                                             net::Admission(), std::move(tls.identity));
    const std::string own = own_authority(options.bind, http->port());
    if (connections.aws_names > 0) {
      limits.connections_max = connections.aws_names;
      answer_aws_names(options, all, limits, *sandbox, tls);
    }
    endpoint = "http://" + own;
    public_endpoint = (speaks_tls(options) ? "https://" : "http://") + own;
    services = std::make_unique<Services>(platform, engine_loop(),
                                          ServicesOptions{options.data, endpoint, options.strict_runtimes, options.lenient,
                                                          options.throttle, options.sns_certificates,
                                                          std::chrono::seconds(options.window_idle_wait_seconds),
                                                          share.functions, share.calls, &faults,
                                                          is_guarded(options) ? &access_keys.functions() : nullptr,
                                                          options.clock != ClockKind::real,
                                                          options.clock == ClockKind::virtual_time,
                                                          options.clock == ClockKind::automatic,
                                                          options.key_file, options.key_directory,
                                                          std::move(sandbox), std::move(tls.authorities)});
    add_net_metrics(metrics, *http);
    admin.answer_with("/_tidemill/replay", [this](net::Request& request) { return services->replay(request); });
    admin.answer_with("/_tidemill/backoff", [this](net::Request& request) { return services->backoff(request); });
    admin.answer_with("/_tidemill/faults",
                      [this](net::Request& request) { return answer_faults(faults, registry, request); });
    admin.answer_with("/_tidemill/backup", [this](net::Request& request) { return services->back_up(request); });
    admin.count_with([this] { return services->ran(); });
    if (is_guarded(options)) {
      const auto reach = options.auth == Auth::judged ? rights::Reach::rights : rights::Reach::account;
      authorizer = std::make_unique<rights::PolicyAuthorizer>(*store, registry, reach);
      faults.let_judge(*authorizer);
    }
    admin.answer_with("/_tidemill/explain", [this, is_judged = options.auth == Auth::judged](net::Request& request) {
      return answer_explain(is_judged ? &authorizer->explanations() : nullptr, request);
    });
    front = std::make_unique<wire::Front>(platform, front_options(options));
    start(options);
  }

  ~Impl() {
    stop([](std::chrono::milliseconds time) {
      std::this_thread::sleep_for(time);
      return false;
    });
  }

  static std::vector<std::unique_ptr<net::Loop>> make_loops_on(base::Activity& activity, int count) {
    std::vector<std::unique_ptr<net::Loop>> result;
    for (int i = 0; i < count; ++i) result.push_back(std::make_unique<net::Loop>(activity));
    return result;
  }
  std::vector<std::unique_ptr<net::Loop>> make_loops(const Options& options) const {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return make_loops_on(clock->activity(), options.threads > 0 ? options.threads : cores);
  }

  // The first loop takes connections; what moves by itself keeps off it if there are several.
  net::Loop& engine_loop() { return *loops.back(); }

  wire::FrontOptions front_options(const Options& options) {
    wire::FrontOptions result{options.account, options.region, endpoint};
    result.hosts = options.hosts;
    result.hosts.push_back(wire::normal_host(options.bind));
    result.allowed_origins = options.allowed_origins;
    result.own_paths = admin.own_paths();
    for (auto& own : services->own_paths()) result.own_paths.push_back(std::move(own));
    result.buckets = &services->bucket_origins();
    result.function_urls = &services->function_urls();
    result.websites = &services->websites();
    result.access_log = &services->access_log();
    if (is_guarded(options)) result.authenticator = std::make_shared<wire::VerifySignatures>(access_keys, *clock);
    result.enforces_rights = options.auth == Auth::judged;
    result.is_behind_proxy = options.is_behind_proxy;
    for (const auto& loop : large_calls) result.large_calls.push_back(loop.get());
    return result;
  }

  // Where the system's ports may not be had, functions' calls of AWS's own names go to AWS.
  void answer_aws_names(const Options& options, std::span<net::Loop* const> all, const net::ServerLimits& limits,
                        engine::Sandbox& sandbox, Tls& tls) {
    try {
      aws_names = std::make_unique<AwsNames>(options, all, http->port(), limits,
                                             [this](net::Request& request) { return front->handle(request); });
    } catch (const net::ListenError& error) {
      base::log_warning("AWS's own host names lead to AWS from inside functions", {{"reason", error.what()}});
      return;
    }
    sandbox.ask_for_names(aws_names->address());
    if (!tls.authorities.contains(aws_names->authority())) tls.authorities += aws_names->authority();
  }

  static bool is_guarded(const Options& options) { return options.auth != Auth::open; }

  void start(const Options& options) {
    for (const auto& loop : loops) {
      threads.emplace_back([&runner = *loop] { runner.run(); });
    }
    for (const auto& loop : large_calls) {
      threads.emplace_back([&runner = *loop] { runner.run(); });
    }
    try {
      if (is_guarded(options)) {
        run_to_end(engine_loop(), startup, [this, account = options.account]() -> Task<void> {
          new_root_key = co_await access_keys.start();
          services->know_root(access_keys.root_id());
          if (authorizer) authorizer->know_root(access_keys.root_id(), account);
        });
      }
      run_to_end(engine_loop(), startup, [this] { return services->start(); });
    } catch (...) {
      halt();
      throw;
    }
    http->start_accepting();
    if (aws_names) aws_names->start_accepting();
  }

  // Waits while `goes_on`, for so long at most. False: whoever stops the server does not want to wait.
  template <class GoesOn>
  static bool wait_while(GoesOn goes_on, std::chrono::milliseconds most, const Hurry& hurries) {
    const auto until = std::chrono::steady_clock::now() + most;
    while (goes_on() && std::chrono::steady_clock::now() < until) {
      if (hurries(kStopLook)) return false;
    }
    return true;
  }

  void stop(const Hurry& hurries) {
    if (threads.empty()) return;
    http->stop_accepting();
    if (aws_names) aws_names->stop_accepting();
    services->wind_down();
    const auto is_at_work = [this] { return http->use().requests > 0 || services->invocations_under_way() > 0; };
    const bool waited = wait_while(is_at_work, grace, hurries);
    if (is_at_work()) {
      base::log_warning("stopped with work under way",
                        {{"requests", std::to_string(http->use().requests)},
                         {"invocations", std::to_string(services->invocations_under_way())}});
    }
    if (waited) (void)wait_while([this] { return !clock->activity().is_quiet(); }, kStopSettle, hurries);
    halt();
  }

  void halt() {
    for (const auto& loop : loops) loop->stop();
    for (const auto& loop : large_calls) loop->stop();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    clock->activity().on_quiet({});  // with everything ended it is quiet, and time must not move on for that
    const base::Executor::Enter enter(engine_loop());
    aws_names.reset();
    http.reset();
    front.reset();
    startup.clear();
    services.reset();
    store.reset();
    loops.clear();
    large_calls.clear();
  }

  const std::chrono::seconds grace;
  base::VirtualClock* virtual_clock = nullptr;
  std::unique_ptr<base::Clock> clock;
  const base::WorkActivity work_activity{clock->activity()};
  std::vector<std::unique_ptr<net::Loop>> loops;
  std::vector<std::unique_ptr<net::Loop>> large_calls;  // have no connections
  std::shared_ptr<store::Condition> condition = std::make_shared<store::Condition>();
  std::unique_ptr<store::Store> store;
  base::Metrics metrics;
  wire::Registry registry;
  wire::PlatformMetrics usage;
  wire::Faults faults;
  wire::Platform platform;
  AccessKeys access_keys;
  std::optional<RootKey> new_root_key;
  Admin admin;
  std::unique_ptr<rights::PolicyAuthorizer> authorizer;  // null: everybody may do everything
  std::unique_ptr<Services> services;
  std::unique_ptr<wire::Front> front;
  std::unique_ptr<net::HttpServer> http;
  std::unique_ptr<AwsNames> aws_names;  // null: they lead to AWS
  base::Scope startup;
  std::string endpoint;         // for this machine: plain
  std::string public_endpoint;  // for all
  std::vector<std::thread> threads;
};

Server::Server(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() = default;

void Server::stop(const Hurry& hurries) { impl_->stop(hurries); }

const std::string& Server::endpoint() const { return impl_->public_endpoint; }
const std::optional<RootKey>& Server::new_root_key() const { return impl_->new_root_key; }

}  // namespace tidemill

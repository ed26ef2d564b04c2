#include "main/server.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/future.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/metrics.h"
#include "base/uuid.h"
#include "main/admin.h"
#include "main/process_metrics.h"
#include "main/services.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "store/rocksdb_store.h"
#include "wire/front.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill {

namespace {

using namespace std::chrono_literals;

constexpr auto kStopGrace = 300ms;  // for what is under way when the server is to stop
constexpr auto kStopLook = 2ms;

// Without a word of the user's: little of a small machine, and no more than databases of this size gain from.
constexpr uint64_t kCacheShareOfMemory = 16;
constexpr uint64_t kDefaultCacheBytesMin = 64 << 20;
constexpr uint64_t kDefaultCacheBytesMax = 1 << 30;

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
      : clock(make_clock(options.clock, &virtual_clock)),
        loops(make_loops(options)),
        store(store::open_rocksdb({options.data, cache_bytes(options), condition}, *clock)),
        usage(*clock),
        platform{*store, *clock, metrics, registry, &usage},
        admin(*clock, virtual_clock, name_of(options.clock), *store, metrics) {
    // Time does not go back over a restart, also not behind what a virtual clock had been turned to.
    if (virtual_clock) virtual_clock->advance_to(store->snapshot()->version().time(), [] {});
    add_process_metrics(metrics);
    add_store_metrics(metrics, *store, condition);
    admin.watch(condition);

    std::vector<net::Loop*> all;
    for (const auto& loop : loops) all.push_back(loop.get());
    http = std::make_unique<net::HttpServer>(all, options.bind, options.port, net::ServerLimits{},
                                             [this](net::Request& request) { return handle(request); });
    const bool v6 = options.bind.find(':') != std::string::npos;
    endpoint = "http://" + (v6 ? '[' + options.bind + ']' : options.bind) + ':' + std::to_string(http->port());
    services = std::make_unique<Services>(platform, engine_loop(),
                                          ServicesOptions{options.data, endpoint, options.strict_runtimes,
                                                          options.throttle, options.sns_certificates,
                                                          std::chrono::seconds(options.window_idle_wait_seconds)});
    admin.replay_with([this](net::Request& request) { return services->replay(request); });
    admin.back_up_with([this](net::Request& request) { return services->back_up(request); });
    front = std::make_unique<wire::Front>(platform, front_options(options));
    start();
  }

  ~Impl() {
    if (!threads.empty()) stop();
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

  Task<net::Response> handle(net::Request& request) {
    if (!ready.load(std::memory_order_acquire)) return not_ready();
    return front->handle(request);
  }
  static Task<net::Response> not_ready() {
    net::Response response;
    response.status = 503;
    response.headers.add("x-amzn-requestid", base::new_uuid());
    response.body = "starting\n";
    co_return response;
  }

  wire::FrontOptions front_options(const Options& options) {
    wire::FrontOptions result{options.account, options.region, endpoint};
    result.hosts = options.hosts;
    result.hosts.push_back(wire::normal_host(options.bind));
    result.allowed_origins = options.allowed_origins;
    result.own_paths = admin.own_paths();
    for (auto& own : services->own_paths()) result.own_paths.push_back(std::move(own));
    result.buckets = &services->bucket_origins();
    return result;
  }

  void start() {
    for (const auto& loop : loops) {
      threads.emplace_back([&runner = *loop] { runner.run(); });
    }
    try {
      run_to_end(engine_loop(), startup, [this] { return services->start(); });
    } catch (...) {
      stop();
      throw;
    }
    ready.store(true, std::memory_order_release);
  }

  void stop() {
    http->stop_accepting();
    const auto until = std::chrono::steady_clock::now() + kStopGrace;
    while (!clock->activity().is_quiet() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kStopLook);
    }
    for (const auto& loop : loops) loop->stop();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    clock->activity().on_quiet({});  // with everything ended it is quiet, and time must not move on for that
    const base::Executor::Enter enter(engine_loop());
    http.reset();
    front.reset();
    startup.clear();
    services.reset();
    store.reset();
    loops.clear();
  }

  base::VirtualClock* virtual_clock = nullptr;
  std::unique_ptr<base::Clock> clock;
  std::vector<std::unique_ptr<net::Loop>> loops;
  std::shared_ptr<store::Condition> condition = std::make_shared<store::Condition>();
  std::unique_ptr<store::Store> store;
  base::Metrics metrics;
  wire::Registry registry;
  wire::PlatformMetrics usage;
  wire::Platform platform;
  Admin admin;
  std::unique_ptr<Services> services;
  std::unique_ptr<wire::Front> front;
  std::unique_ptr<net::HttpServer> http;
  base::Scope startup;
  std::atomic<bool> ready = false;
  std::string endpoint;
  std::vector<std::thread> threads;
};

Server::Server(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() = default;

const std::string& Server::endpoint() const { return impl_->endpoint; }

}  // namespace tidemill

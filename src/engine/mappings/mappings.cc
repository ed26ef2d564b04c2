// The supervisor: follows the set of mappings in the store and keeps a runner for each.
#include "engine/mappings/mappings.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "engine/mappings/mapping_runner.h"
#include "engine/mappings/queue_runner.h"

namespace tidemill::engine {
namespace {

// After the set of mappings could not be read.
constexpr auto kRecoveryPause = std::chrono::seconds(1);

}  // namespace

struct Mappings::Impl {
  base::Executor& executor;
  store::Store& store;
  base::Clock& clock;
  Ownership& ownership;
  base::Metrics& metrics;
  std::vector<StreamSource*> sources;
  Invoker& invoker;
  wire::PlatformMetrics* usage;
  std::vector<QueueSource*> queues;
  base::Duration window_idle_wait;

  MappingRights* rights = nullptr;
  base::Budget batches;
  HeldMessages held;
  base::Signal changed;
  store::Subscription watch;
  std::map<std::string, std::unique_ptr<RunningMapping>, std::less<>> running;  // by UUID
  base::Scope tasks;  // destroyed before the runners that they run in

  void start() {
    watch = store.subscribe(kMappingsTopic, [signal = changed] { signal.signal(); });
    tasks.spawn(supervise());
  }

  Task<void> supervise() {
    for (;;) {
      std::erase_if(running, [](const auto& entry) { return entry.second->erased(); });
      std::optional<std::string> problem;
      try {
        co_await take_up();
      } catch (const std::exception& error) {
        problem = error.what();
      }
      if (!problem) {
        co_await changed;
        continue;
      }
      base::log_error("mappings cannot be looked at", {{"what", *problem}});
      co_await clock.pause(changed, kRecoveryPause);
    }
  }

  Task<void> take_up() {
    std::vector<Mapping> found;
    std::set<std::string, std::less<>> keys;
    co_await store.snapshot()->scan(all_mappings(), store::Direction::forward,
                                    [&](std::string_view key, std::string_view value) {
                                      keys.emplace(key);
                                      if (auto mapping = decode_mapping(value)) {
                                        found.push_back(std::move(*mapping));
                                      } else {
                                        base::log_error("a mapping's record is damaged; it does not run");
                                      }
                                      return true;
                                    });
    for (const Mapping& mapping : found) take_up(mapping);
    // Another process has erased them.
    for (const auto& [uuid, runner] : running) {
      if (!keys.contains(mapping_key(uuid))) runner->vanish();
    }
  }

  void take_up(const Mapping& mapping) {
    if (const auto known = running.find(mapping.uuid); known != running.end()) {
      known->second->update(mapping);
      return;
    }
    auto runner = make_runner(mapping);
    if (!runner) {
      base::log_error("nothing here can read the mapping's source; it does not run",
                      {{"mapping", mapping.uuid}, {"source", mapping.event_source_arn}});
      return;
    }
    auto& entry = running[mapping.uuid];
    entry = std::move(runner);
    tasks.spawn(entry->run());
  }

  // nullptr: nobody knows such a source.
  std::unique_ptr<RunningMapping> make_runner(const Mapping& mapping) {
    const auto owns = [&](const auto* source) { return source->owns(mapping.event_source_arn); };
    if (const auto source = std::ranges::find_if(sources, owns); source != sources.end()) {
      return std::make_unique<MappingRunner>(MappingRun{.store = store,
                                                        .clock = clock,
                                                        .ownership = ownership,
                                                        .source = **source,
                                                        .invoker = invoker,
                                                        .batches = batches,
                                                        .metrics = MappingMetrics(metrics, mapping.uuid),
                                                        .config = std::make_shared<const Mapping>(mapping),
                                                        .usage = usage,
                                                        .rights = rights,
                                                        .window_idle_wait = window_idle_wait},
                                             changed);
    }
    if (const auto queue = std::ranges::find_if(queues, owns); queue != queues.end()) {
      return std::make_unique<QueueRunner>(QueueRun{.store = store,
                                                    .clock = clock,
                                                    .ownership = ownership,
                                                    .source = **queue,
                                                    .invoker = invoker,
                                                    .held = held,
                                                    .metrics = QueueMappingMetrics(metrics, mapping.uuid),
                                                    .config = std::make_shared<const Mapping>(mapping),
                                                    .usage = usage,
                                                    .rights = rights},
                                           changed);
    }
    return nullptr;
  }
};

Mappings::Mappings(base::Executor& executor, store::Store& store, base::Clock& clock, Ownership& ownership,
                   base::Metrics& metrics, std::vector<StreamSource*> sources, Invoker& invoker,
                   wire::PlatformMetrics* usage, std::vector<QueueSource*> queues, base::Duration window_idle_wait,
                   size_t batch_bytes_max)
    : impl_(new Impl{executor, store, clock, ownership, metrics, std::move(sources), invoker, usage,
                     std::move(queues), window_idle_wait, nullptr, base::Budget(batch_bytes_max)}) {
  metrics.gauge("tidemill_mapping_batch_bytes", "Records of streams in memory for mappings, and their events.", "",
                [impl = std::weak_ptr(impl_)] {
                  const auto alive = impl.lock();
                  return alive ? static_cast<double>(alive->batches.used()) : 0;
                });
}

Mappings::~Mappings() = default;

void Mappings::guard_with(MappingRights* rights) { impl_->rights = rights; }

void Mappings::start() {
  impl_->executor.post([impl = std::weak_ptr(impl_)] {
    if (const auto alive = impl.lock()) alive->start();
  });
}

}  // namespace tidemill::engine

// For tests: a platform with a simulated store and a clock that stands, whose operations a test registers itself.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/sim_executor.h"
#include "store/sim_store.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::wire::testing {

// To be derived from: what a test makes on it goes first.
struct SimPlatform {
  base::VirtualClock clock_{base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)),
                            base::VirtualClock::Mode::manual};
  base::SimExecutor executor_{1, clock_.activity()};
  base::Metrics metrics_;
  store::SimDisk disk_;
  std::unique_ptr<store::SimStore> store_ = store::make_sim_store(disk_, executor_, clock_, store::SimFaults::none());
  Registry registry_;
  Platform platform_{*store_, clock_, metrics_, registry_};
};

}  // namespace tidemill::wire::testing

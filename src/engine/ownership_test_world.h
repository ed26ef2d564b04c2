// For tests of what processes own that share a store: several of them over one simulated store, with clocks of their own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/sim_process.h"
#include "engine/leased_ownership.h"
#include "store/sim_store.h"

namespace tidemill::engine {

// Processes over one simulated store, each of which claims what the test says.
class OwnershipTest : public ::testing::Test {
 protected:
  struct Process {
    Process(OwnershipTest& test, const std::string& own_name, base::Duration offset)
        : name(own_name),
          executor(test.machine_, test.clock_, offset),
          ownership(std::make_unique<LeasedOwnership>(*test.store_, executor.clock(), name)) {}

    void claim(const std::string& name) { claims[name] = ownership->claim(name, changed); }
    bool owns(const std::string& name) {
      const auto found = claims.find(name);
      return found != claims.end() && found->second->tenure() != nullptr;
    }
    // Lets go of what is asked back, as one who has nothing under way.
    void give_back() {
      for (auto& [name, claim] : claims) {
        if (const auto tenure = claim->tenure(); tenure && tenure->asked_back()) claim->let_go();
      }
    }
    void die() {
      parts.clear();
      claims.clear();
      executor.kill();
      ownership.reset();
    }

    const std::string name;
    base::SimProcess executor;
    base::Signal changed;
    std::unique_ptr<LeasedOwnership> ownership;
    std::map<std::string, std::unique_ptr<Claim>> claims;
    std::vector<std::shared_ptr<void>> parts;  // what else runs in it
  };

  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override {
    base::set_log_level(base::Level::info);
    for (const auto& process : processes_) process->die();
    scope_.clear();
    machine_.drop_all();
  }

  Process& start(const std::string& name, base::Duration offset = {}) {
    Process& process = *processes_.emplace_back(std::make_unique<Process>(*this, name, offset));
    const base::Executor::Enter enter(process.executor);
    process.ownership->start();
    return process;
  }

  void pass(base::Duration time) {
    const base::Time end = clock_.now() + time;
    while (clock_.now() < end) {
      machine_.run_until_idle();
      clock_.advance_to(std::min(end, clock_.now() + std::chrono::seconds(1)), [] {});
      machine_.run_until_idle();
      for (const auto& process : processes_) {
        if (!process->executor.is_stalled()) process->give_back();
      }
    }
    machine_.run_until_idle();
  }

  std::vector<std::string> names(int count) const {
    std::vector<std::string> result;
    for (int i = 0; i < count; ++i) result.push_back("thing/" + std::to_string(i));
    return result;
  }
  int owned_by(Process& process, const std::vector<std::string>& names) const {
    return static_cast<int>(std::ranges::count_if(names, [&](const std::string& name) { return process.owns(name); }));
  }

  // What came of a transaction that writes `key` behind the fence of `tenure`.
  enum class Written { yes, not_owner, not_yet };
  struct Write {
    Written written = Written::not_yet;
  };
  std::shared_ptr<Write> write(std::shared_ptr<const Tenure> tenure, std::string key, std::string value) {
    auto result = std::make_shared<Write>();
    const base::Executor::Enter enter(machine_);
    scope_.spawn([](store::Store& store, std::shared_ptr<const Tenure> owner, std::string of, std::string what,
                    std::shared_ptr<Write> outcome) -> Task<void> {
      try {
        co_await store.transact([&](store::Transaction& txn) -> Task<void> {
          co_await owner->fence(txn);
          txn.put(of, what);
        });
        outcome->written = Written::yes;
      } catch (const NotOwner&) {
        outcome->written = Written::not_owner;
      }
    }(*store_, std::move(tenure), std::move(key), std::move(value), result));
    return result;
  }
  Written write_and_wait(std::shared_ptr<const Tenure> tenure) {
    const auto result = write(std::move(tenure), "Ikey", "value");
    machine_.run_until_idle();
    return result->written;
  }

  base::VirtualClock clock_{base::Time(std::chrono::hours(24 * 365 * 50)), base::VirtualClock::Mode::manual};
  base::SimExecutor machine_{7, clock_.activity()};
  store::SimDisk disk_;
  std::unique_ptr<store::SimStore> store_ = store::make_sim_store(disk_, machine_, clock_, store::SimFaults());
  std::vector<std::unique_ptr<Process>> processes_;
  base::Scope scope_;
};

}  // namespace tidemill::engine

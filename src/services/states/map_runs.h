// Moves map runs on: reads items, begins children for them, takes in their ends, and tells the parent what came of it.
// Children and the place up to which items have been read change in one transaction, so that after a crash no item is
// passed and none has a second child.
//
// A run has a timer (kMapTimer) while there is something to be done for it; the end of a child sets it again.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/timer_service.h"
#include "services/states/express.h"
#include "services/states/map_run.h"
#include "services/states/running.h"
#include "wire/context.h"

namespace tidemill::states {

inline constexpr size_t kChildrenAtOnce = 32;                    // begun in one transaction
inline constexpr size_t kChildBytesAtOnce = size_t{1} << 20;     // of their inputs
inline constexpr size_t kChildEndsAtOnce = 64;                   // taken in by one transaction
inline constexpr size_t kMapRunsRemembered = 64;                 // whose readers are kept between two looks
inline constexpr size_t kMapRunsMax = 64;                        // moved on at the same time

class MapRuns {
 public:
  // All must outlive it.
  MapRuns(wire::Platform& platform, Running& running, Express& express, LongEvaluations& evaluations);
  ~MapRuns();

  void register_with(engine::TimerService& timers);

 private:
  struct Walk;
  enum class Step { go_on, wait };

  Task<void> run(const store::Timer& timer);
  Task<Step> look(const store::Timer& timer, std::unique_ptr<Walk>& walk);
  Task<std::unique_ptr<Walk>> begin_walk(const MapRunRecord& run);
  Task<Step> go_on(const store::Timer& timer, Walk& walk);
  struct Changed;
  Task<Step> change(store::Transaction& txn, const store::Timer& timer, Walk& walk, Changed& changed);
  Task<size_t> begin_children(store::Transaction& txn, Walk& walk, MapRunRecord& run, size_t most);
  Task<size_t> begin_again(store::Transaction& txn, Walk& walk, MapRunRecord& run);
  Task<size_t> take_ends(store::Transaction& txn, const Walk& walk, MapRunRecord& run);
  Task<void> stop_children(const MapRunRecord& run);
  Task<Step> finish(const store::Timer& timer, Walk& walk);
  Task<MapRunEnd> end_of(Walk& walk, const MapRunRecord& run);
  // One that has the run no more must not find that nothing is to be done for it.
  Task<void> fence(store::Transaction& txn) const;
  Task<void> fail_run(std::string run_key, std::string error, std::string cause);

  wire::Platform& platform_;
  store::Store& store_;
  Running& running_;
  Express& express_;
  LongEvaluations& evaluations_;
  engine::TimerService* timers_ = nullptr;  // once registered
  std::map<std::string, std::unique_ptr<Walk>, std::less<>> remembered_;  // by the run's key
};

}  // namespace tidemill::states

// The simulated backend: in memory, on one SimExecutor, with faults drawn from its seed: spurious conflicts, commits
// that take long, and crashes that lose exactly what was not yet acknowledged (or keep it: after a real crash an
// unacknowledged commit may be there or not). Reads suspend wherever the executor's seed says that a slice is over.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/sim_executor.h"
#include "store/store.h"

namespace tidemill::store {

// What survives a crash. Make a new store on it to restart.
struct SimDisk {
  std::map<std::string, std::string, std::less<>> data;
  Version last_version;
};

struct SimFaults {
  double conflict_probability = 0.05;     // a commit that would succeed is answered with a conflict
  double slow_commit_probability = 0.1;   // a commit waits up to slow_commit_max of executor time
  std::chrono::milliseconds slow_commit_max{200};
  static SimFaults none() { return {0, 0, std::chrono::milliseconds(0)}; }
};

class SimStore : public Store {
 public:
  // Forgets all commits in flight, each of which reaches the disk or not by the seed's choice (in order: if a later
  // one does, so do the earlier). The store answers nothing any more; destroy it and everything that used it.
  virtual void crash() = 0;
};

std::unique_ptr<SimStore> make_sim_store(SimDisk& disk, base::SimExecutor& executor, base::Clock& clock,
                                         SimFaults faults);

}  // namespace tidemill::store

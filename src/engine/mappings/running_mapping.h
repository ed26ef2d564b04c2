// A mapping at work, whatever its source is: what the supervisor (mappings.h) knows of those who run one; and the
// changes of a mapping's record that they have in common.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "engine/mappings/mapping.h"
#include "engine/ownership.h"
#include "store/store.h"

namespace tidemill::engine {

class RunningMapping {
 public:
  virtual ~RunningMapping() = default;

  // Until the mapping is erased. The task must end or be destroyed before this.
  virtual Task<void> run() = 0;
  // The mapping's record as it is now; nothing happens if that is what it was.
  virtual void update(const Mapping& mapping) = 0;
  // There is no record any more: ends as if it were to be deleted.
  virtual void vanish() = 0;
  [[nodiscard]] virtual bool erased() const = 0;
};

// Puts the state that has been reached in place of the one that asked for it, and returns the mapping; nothing if
// somebody has asked for another meanwhile, or has confirmed it already: then the change has been signalled and is on its
// way. Nothing, too, as long as any process has a part of a mapping that is to rest: when it has let go, ownership tells.
Task<std::optional<Mapping>> confirm_state(store::Store& store, Ownership& ownership, std::string uuid,
                                           MappingState from, MappingState to);

// Erases the mapping and all that is kept of it. False: a process still has a part of it.
Task<bool> erase_mapping(store::Store& store, Ownership& ownership, std::string uuid);

}  // namespace tidemill::engine

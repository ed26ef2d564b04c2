// Gauges about the process and its store, for /metrics.
#pragma once

#include <memory>

#include "base/metrics.h"
#include "store/paused.h"
#include "store/store.h"

namespace tidemill {

// Memory, CPU time, open files, start time.
void add_process_metrics(base::Metrics& metrics);

// `store` outlives the use of `metrics`' text.
void add_store_metrics(base::Metrics& metrics, store::Store& store, std::shared_ptr<const store::Condition> condition);

}  // namespace tidemill

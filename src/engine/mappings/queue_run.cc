#include "engine/mappings/queue_run.h"

#include "base/text.h"

namespace tidemill::engine {

namespace {

std::string label(std::string_view uuid) { return base::cat("mapping=\"", uuid, "\""); }

}  // namespace

QueueMappingMetrics::QueueMappingMetrics(base::Metrics& metrics, std::string_view uuid)
    : batches(metrics.counter("tidemill_mapping_batches_total", "Batches given to the function", label(uuid))),
      records(metrics.counter("tidemill_mapping_records_total", "Records that the function has finished", label(uuid))),
      errors(metrics.counter("tidemill_mapping_errors_total", "Failed invocations", label(uuid))),
      filtered(metrics.counter("tidemill_mapping_filtered_total", "Messages that no filter wanted", label(uuid))) {}

}  // namespace tidemill::engine

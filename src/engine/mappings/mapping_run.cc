#include "engine/mappings/mapping_run.h"

namespace tidemill::engine {

namespace {

std::string label(std::string_view uuid) { return "mapping=\"" + std::string(uuid) + "\""; }

}  // namespace

MappingMetrics::MappingMetrics(base::Metrics& metrics, std::string_view uuid)
    : batches(metrics.counter("tidemill_mapping_batches_total", "Batches given to the function", label(uuid))),
      records(metrics.counter("tidemill_mapping_records_total", "Records that the function has finished", label(uuid))),
      errors(metrics.counter("tidemill_mapping_errors_total", "Failed invocations", label(uuid))),
      discarded_records(metrics.counter("tidemill_mapping_discarded_records_total",
                                        "Records given up: expired, or their attempts exhausted", label(uuid))),
      iterator_age(std::make_shared<std::atomic<int64_t>>(0)) {
  metrics.gauge("tidemill_mapping_iterator_age_seconds", "Age of the last record of the batch finished last",
                label(uuid), [age = iterator_age] { return static_cast<double>(age->load()) / 1e6; });
}

}  // namespace tidemill::engine

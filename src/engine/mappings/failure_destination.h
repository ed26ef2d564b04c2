// The way of a mapping's failure documents to their queue, topic or bucket: deliveries of a kind of their own, enqueued
// in the transaction that moves the checkpoint past the batch. So there is one for each batch that is given up, and
// none for others, whenever the process dies; each arrives at least once.
#pragma once

#include <optional>

#include "engine/deliveries.h"
#include "engine/mappings/failure_document.h"
#include "wire/context.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {

inline constexpr std::string_view kMappingFailureTarget = "mapping-failure";

// Whether documents for this ARN carry the records.
[[nodiscard]] bool is_bucket(std::string_view destination_arn);

// Nothing if the mapping has no destination.
[[nodiscard]] std::optional<store::Delivery> failure_delivery(const Mapping& mapping, const DiscardedBatch& batch,
                                                              base::Time now);

// Before it is enqueued, where policies are enforced: it goes under the role that acts for its mapping now, whatever
// becomes of the mapping and its function while it is on its way.
Task<void> keep_teller(wire::Platform& platform, store::Delivery& delivery);

// The document that such a delivery carries. Throws std::runtime_error.
[[nodiscard]] std::string document_in(const store::Delivery& delivery);

// Before the timers start. What is passed outlives the deliveries; `usage` may be null.
void add_failure_sender(Deliveries& deliveries, wire::Platform& platform, wire::PlatformMetrics* usage);

}  // namespace tidemill::engine

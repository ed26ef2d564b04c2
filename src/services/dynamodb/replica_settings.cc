#include "services/dynamodb/replica_settings.h"

#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_updates.h"
#include "services/dynamodb/new_replica.h"
#include "services/dynamodb/table_options.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

// The kind of key is alike, the key is not: each region has its own.
void encrypt_alike(Table& other, const Table& after, base::Time now) {
  if (!after.encryption) {
    other.encryption.reset();
    return;
  }
  if (other.encryption && has_customers_key(other) == has_customers_key(after)) return;
  if (has_customers_key(after)) throw key_is_missing();
  set_encryption(other, {.enabled = true, .sse_type = std::string(shapes::SSEType::kKms)}, now);
}

// Reads may have a maximum of their own in a region; one that has none follows the others'.
void limit_alike(Table& other, const Table& before, const Table& after) {
  other.write_request_units_max = after.write_request_units_max;
  if (other.read_request_units_max == before.read_request_units_max) {
    other.read_request_units_max = after.read_request_units_max;
  }
}

}  // namespace

void check_suits_replica(const Table& table, const shapes::UpdateTableInput& request) {
  if (!table.is_replica()) return;
  if (request.billing_mode == shapes::BillingMode::kProvisioned) {
    throw validation("Table write capacity should either be Pay-Per-Request or AutoScaled.");
  }
  if (request.stream_specification && !request.stream_specification->stream_enabled) {
    throw invalid_parameters("Disabling Stream is not allowed for a Global Table replica.");
  }
}

Task<void> change_alike(store::Transaction& txn, Table& other, const Table& before, const Table& after,
                        const shapes::UpdateTableInput& request, base::Time now) {
  (void)co_await update_indexes(txn, other, request, now);
  if (request.on_demand_throughput) limit_alike(other, before, after);
  if (request.warm_throughput) set_warm_throughput(other, *request.warm_throughput);
  if (request.sse_specification) encrypt_alike(other, after, now);
  if (request.table_class) {
    other.table_class = *request.table_class;
    other.table_class_updated = now;
  }
}

}  // namespace tidemill::dynamodb

#include "services/kms/bus_events.h"

#include "engine/targets/bus_target.h"

namespace tidemill::kms {

Task<void> tell_bus(store::Transaction& txn, const KeyAddress& key, std::string_view what, base::Time now) {
  co_await engine::tell_default_bus(txn, key.account, key.region, now, [&] {
    return engine::BusEvent{.source = "aws.kms",
                            .detail_type = std::string(what),
                            .resource = key.arn(),
                            .detail = base::json::write(base::json::Object{{"key-id", key.id}})};
  });
}

}  // namespace tidemill::kms

#include "engine/running_mapping.h"

#include "engine/pinned_batch.h"

namespace tidemill::engine {

Task<std::optional<Mapping>> confirm_state(store::Store& store, std::string uuid, MappingState from, MappingState to) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<std::optional<Mapping>> {
    const auto bytes = co_await txn.get(mapping_key(uuid));
    auto mapping = bytes ? decode_mapping(*bytes) : std::nullopt;
    if (!mapping || mapping->state != from) co_return std::nullopt;
    mapping->state = to;
    txn.put(mapping_key(uuid), encode_mapping(*mapping));
    co_return mapping;
  });
}

Task<void> erase_mapping(store::Store& store, std::string uuid) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    txn.erase(mapping_key(uuid));
    txn.erase(result_key(uuid));
    txn.erase_range(all_checkpoints(uuid));
    txn.erase_range(all_windows(uuid));
    txn.erase_range(all_pinned_batches(uuid));
    co_return;
  });
}

}  // namespace tidemill::engine

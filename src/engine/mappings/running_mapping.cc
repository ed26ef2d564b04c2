#include "engine/mappings/running_mapping.h"

#include "engine/mappings/pinned_batch.h"

namespace tidemill::engine {

Task<std::optional<Mapping>> confirm_state(store::Store& store, Ownership& ownership, std::string uuid,
                                           MappingState from, MappingState to) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<std::optional<Mapping>> {
    const auto bytes = co_await txn.get(mapping_key(uuid));
    auto mapping = bytes ? decode_mapping(*bytes) : std::nullopt;
    if (!mapping || mapping->state != from) co_return std::nullopt;
    if (!wants_polling(to) && co_await ownership.is_owned(txn, owned_prefix(uuid))) co_return std::nullopt;
    mapping->state = to;
    txn.put(mapping_key(uuid), encode_mapping(*mapping));
    if (ownership.is_shared()) txn.signal(kMappingsTopic);
    co_return mapping;
  });
}

Task<bool> erase_mapping(store::Store& store, Ownership& ownership, std::string uuid) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
    if (co_await ownership.is_owned(txn, owned_prefix(uuid))) co_return false;
    const auto bytes = co_await txn.get(mapping_key(uuid));
    const auto mapping = bytes ? decode_mapping(*bytes) : std::nullopt;
    if (mapping && !mapping->owner_key.empty()) txn.erase(mapping->owner_key);
    txn.erase(mapping_key(uuid));
    txn.erase(result_key(uuid));
    txn.erase_range(all_checkpoints(uuid));
    txn.erase_range(all_windows(uuid));
    txn.erase_range(all_pinned_batches(uuid));
    if (ownership.is_shared()) txn.signal(kMappingsTopic);
    co_return true;
  });
}

}  // namespace tidemill::engine

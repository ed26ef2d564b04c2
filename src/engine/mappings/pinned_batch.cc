#include "engine/mappings/pinned_batch.h"

#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::engine {

namespace {

constexpr uint8_t kFormat = 1;
constexpr uint8_t kKind = 'p';  // behind the byte of the key space, among those of mapping.cc

std::string prefix_of(std::string_view uuid) {
  std::string key(1, static_cast<char>(store::KeySpace::mapping));
  base::append_u8(key, kKind);
  base::append_string(key, uuid);
  return key;
}

}  // namespace

bool pins_records(const Mapping& mapping) {
  const auto tag = mapping.tags.find(kPinTag);
  return tag != mapping.tags.end() && tag->second == "true";
}

std::string pinned_batch_key(std::string_view uuid, std::string_view shard_id,
                             std::string_view first_sequence_number, std::string_view last_sequence_number) {
  std::string key = prefix_of(uuid);
  base::append_string(key, shard_id);
  base::append_string(key, first_sequence_number);
  base::append_string(key, last_sequence_number);
  return key;
}

store::Range all_pinned_batches(std::string_view uuid) { return store::Range::prefix(prefix_of(uuid)); }

Task<void> pin_batch(store::Transaction& txn, std::string key, std::string_view encoded) {
  const auto pinned = co_await txn.get(key);
  if (!pinned) {
    txn.put(key, encoded);
    co_return;
  }
  PinnedBatch both = decode_pinned_batch(*pinned);
  const PinnedBatch batch = decode_pinned_batch(encoded);
  both.count += batch.count;
  both.records_json += ',';
  both.records_json += batch.records_json;
  txn.put(key, encode_pinned_batch(both));
}

std::string encode_pinned_batch(const PinnedBatch& batch) {
  std::string bytes;
  base::append_u8(bytes, kFormat);
  base::append_string(bytes, batch.last_sequence_number);
  base::append_u64(bytes, batch.count);
  base::append_fixed(bytes, batch.records_json);
  return bytes;
}

PinnedBatch decode_pinned_batch(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  PinnedBatch batch;
  const bool is_known = reader.u8() == kFormat;
  batch.last_sequence_number = reader.string();
  batch.count = reader.u64();
  batch.records_json = reader.rest();
  if (!is_known || !reader.ok()) throw std::runtime_error("a pinned batch is damaged");
  return batch;
}

}  // namespace tidemill::engine

#include "engine/mappings/mapping.h"

#include "base/ordered.h"
#include "base/text.h"
#include "store/keys.h"
#include "wire/arn.h"

namespace tidemill::engine {

namespace {

// Behind the byte of the key space.
// pinned_batch.cc has one more: 'p'.
enum class Kind : uint8_t { mapping = 'm', result = 'r', checkpoint = 'c', window = 'w' };

std::string key_of(Kind kind) {
  std::string key(1, static_cast<char>(store::KeySpace::mapping));
  base::append_u8(key, static_cast<uint8_t>(kind));
  return key;
}

std::string key_of(Kind kind, std::string_view uuid) {
  std::string key = key_of(kind);
  base::append_string(key, uuid);
  return key;
}

}  // namespace

std::string mapping_key(std::string_view uuid) { return key_of(Kind::mapping, uuid); }

std::string result_key(std::string_view uuid) { return key_of(Kind::result, uuid); }

std::string checkpoint_key(std::string_view uuid, std::string_view shard_id) {
  std::string key = key_of(Kind::checkpoint, uuid);
  base::append_string(key, shard_id);
  return key;
}

std::string window_key(std::string_view uuid, std::string_view shard_id) {
  std::string key = key_of(Kind::window, uuid);
  base::append_string(key, shard_id);
  return key;
}

store::Range all_mappings() { return store::Range::prefix(key_of(Kind::mapping)); }

store::Range all_checkpoints(std::string_view uuid) { return store::Range::prefix(key_of(Kind::checkpoint, uuid)); }

store::Range all_windows(std::string_view uuid) { return store::Range::prefix(key_of(Kind::window, uuid)); }

std::string checkpoint_shard(std::string_view key) {
  base::OrderedReader reader(key);
  reader.u16();     // key space and kind
  reader.string();  // the mapping
  return reader.string();
}

bool goes_to_pipe(const Mapping& mapping) { return wire::parse_arn_of("pipes", mapping.function_arn).has_value(); }

bool wants_polling(MappingState state) {
  switch (state) {
    case MappingState::creating:
    case MappingState::enabling:
    case MappingState::enabled:
    case MappingState::updating:
      return true;
    case MappingState::disabling:
    case MappingState::disabled:
    case MappingState::deleting:
      return false;
  }
  return false;
}

std::string shards_topic(std::string_view uuid) { return base::cat("mapping-shards/", uuid); }

std::string owned_prefix(std::string_view uuid) { return base::cat("mapping/", uuid, "/"); }

std::string owned_shard(std::string_view uuid, std::string_view shard_id) {
  return base::cat(owned_prefix(uuid), "shard/", shard_id);
}

std::string owned_queue(std::string_view uuid) { return base::cat(owned_prefix(uuid), "queue"); }

}  // namespace tidemill::engine

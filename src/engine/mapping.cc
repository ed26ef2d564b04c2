#include "engine/mapping.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::engine {

namespace {

// Of values. A new format gets the next number, and the decoder keeps reading the older ones.
constexpr uint8_t kMappingFormat = 1;
constexpr uint8_t kCheckpointFormat = 1;

// Behind the byte of the key space.
enum class Kind : uint8_t { mapping = 'm', result = 'r', checkpoint = 'c' };

constexpr uint8_t kStates = static_cast<uint8_t>(MappingState::deleting) + 1;
constexpr uint8_t kStartingPositions = static_cast<uint8_t>(StartingPosition::latest) + 1;

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

store::Position read_position(base::OrderedReader& reader) {
  store::Position position;
  position.version.value = reader.u64();
  position.index = reader.u32();
  return position;
}

void append_position(std::string& out, store::Position position) {
  base::append_u64(out, position.version.value);
  base::append_u32(out, position.index);
}

}  // namespace

std::string encode_mapping(const Mapping& mapping) {
  std::string out;
  base::append_u8(out, kMappingFormat);
  for (const std::string* text :
       {&mapping.uuid, &mapping.account, &mapping.region, &mapping.event_source_arn, &mapping.function_arn}) {
    base::append_string(out, *text);
  }
  base::append_i64(out, mapping.batch_size);
  base::append_i64(out, mapping.batching_window_seconds);
  base::append_u8(out, static_cast<uint8_t>(mapping.starting_position));
  base::append_i64(out, mapping.retry_attempts_max);
  base::append_i64(out, mapping.record_age_seconds_max);
  base::append_u8(out, static_cast<uint8_t>(mapping.state));
  base::append_i64(out, mapping.last_modified.time_since_epoch().count());
  return out;
}

std::optional<Mapping> decode_mapping(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  if (reader.u8() != kMappingFormat) return std::nullopt;
  Mapping mapping;
  for (std::string* text :
       {&mapping.uuid, &mapping.account, &mapping.region, &mapping.event_source_arn, &mapping.function_arn}) {
    *text = reader.string();
  }
  mapping.batch_size = static_cast<int>(reader.i64());
  mapping.batching_window_seconds = static_cast<int>(reader.i64());
  const uint8_t starting_position = reader.u8();
  mapping.retry_attempts_max = static_cast<int>(reader.i64());
  mapping.record_age_seconds_max = static_cast<int>(reader.i64());
  const uint8_t state = reader.u8();
  mapping.last_modified = base::Time(base::Duration(reader.i64()));
  if (!reader.ok() || !reader.at_end() || starting_position >= kStartingPositions || state >= kStates) {
    return std::nullopt;
  }
  mapping.starting_position = static_cast<StartingPosition>(starting_position);
  mapping.state = static_cast<MappingState>(state);
  return mapping;
}

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  std::string out;
  base::append_u8(out, kCheckpointFormat);
  append_position(out, checkpoint.done);
  base::append_u32(out, checkpoint.attempts);
  append_position(out, checkpoint.trying);
  base::append_u8(out, checkpoint.shard_finished ? 1 : 0);
  return out;
}

std::optional<Checkpoint> decode_checkpoint(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  if (reader.u8() != kCheckpointFormat) return std::nullopt;
  Checkpoint checkpoint;
  checkpoint.done = read_position(reader);
  checkpoint.attempts = reader.u32();
  checkpoint.trying = read_position(reader);
  checkpoint.shard_finished = reader.u8() != 0;
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return checkpoint;
}

std::string mapping_key(std::string_view uuid) { return key_of(Kind::mapping, uuid); }

std::string result_key(std::string_view uuid) { return key_of(Kind::result, uuid); }

std::string checkpoint_key(std::string_view uuid, std::string_view shard_id) {
  std::string key = key_of(Kind::checkpoint, uuid);
  base::append_string(key, shard_id);
  return key;
}

store::Range all_mappings() { return store::Range::prefix(key_of(Kind::mapping)); }

store::Range all_checkpoints(std::string_view uuid) { return store::Range::prefix(key_of(Kind::checkpoint, uuid)); }

std::string checkpoint_shard(std::string_view key) {
  base::OrderedReader reader(key);
  reader.u16();     // key space and kind
  reader.string();  // the mapping
  return reader.string();
}

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

}  // namespace tidemill::engine

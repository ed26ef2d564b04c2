#include "engine/mapping.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::engine {

namespace {

// Of values. A new format gets the next number, and the decoder keeps reading the older ones.
constexpr uint8_t kCheckpointFormat = 1;

// Behind the byte of the key space.
enum class Kind : uint8_t { mapping = 'm', result = 'r', checkpoint = 'c' };

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

#include "engine/mappings/checkpoint.h"

#include <algorithm>

#include "base/ordered.h"

namespace tidemill::engine {

namespace {

// A new format gets the next number, and the decoder keeps reading the older ones. Format 1 knew one lane and one batch
// that had failed.
constexpr uint8_t kOneLaneFormat = 1;
constexpr uint8_t kLanesFormat = 2;
constexpr uint8_t kIncarnationFormat = 3;  // as kLanesFormat, and the incarnation of a finished shard

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

void append_lane(std::string& out, const LaneProgress& lane) {
  base::append_u8(out, lane.lane_count);
  base::append_u8(out, lane.lane);
  append_position(out, lane.done);
  base::append_u16(out, static_cast<uint16_t>(lane.pieces.size()));
  for (const BatchPiece& piece : lane.pieces) {
    append_position(out, piece.last);
    base::append_u32(out, piece.attempts);
    base::append_u8(out, piece.reported ? 1 : 0);
  }
}

LaneProgress read_lane(base::OrderedReader& reader) {
  LaneProgress lane;
  lane.lane_count = reader.u8();
  lane.lane = reader.u8();
  lane.done = read_position(reader);
  const uint16_t pieces = reader.u16();
  for (uint16_t i = 0; i < pieces && reader.ok(); ++i) {
    BatchPiece piece;
    piece.last = read_position(reader);
    piece.attempts = reader.u32();
    piece.reported = reader.u8() != 0;
    lane.pieces.push_back(piece);
  }
  return lane;
}

Checkpoint read_one_lane(base::OrderedReader& reader) {
  Checkpoint checkpoint;
  checkpoint.done = read_position(reader);
  BatchPiece trying;
  trying.attempts = reader.u32();
  trying.last = read_position(reader);
  checkpoint.shard_finished = reader.u8() != 0;
  if (trying.attempts > 0) {
    checkpoint.lanes.push_back({.lane_count = 1, .lane = 0, .done = checkpoint.done, .pieces = {trying}});
  }
  return checkpoint;
}

Checkpoint read_lanes(base::OrderedReader& reader) {
  Checkpoint checkpoint;
  checkpoint.done = read_position(reader);
  checkpoint.shard_finished = reader.u8() != 0;
  const uint8_t lanes = reader.u8();
  for (uint8_t i = 0; i < lanes && reader.ok(); ++i) checkpoint.lanes.push_back(read_lane(reader));
  return checkpoint;
}

}  // namespace

uint8_t lane_of(std::string_view ordering_key, uint8_t lane_count) {
  if (lane_count <= 1) return 0;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : ordering_key) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  hash ^= hash >> 32;
  return static_cast<uint8_t>(hash % lane_count);
}

bool Checkpoint::is_finished(store::Position position, std::string_view ordering_key) const {
  if (position <= done) return true;
  return std::ranges::any_of(lanes, [&](const LaneProgress& lane) {
    return position <= lane.done && lane_of(ordering_key, lane.lane_count) == lane.lane;
  });
}

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  std::string out;
  base::append_u8(out, kIncarnationFormat);
  append_position(out, checkpoint.done);
  base::append_u8(out, checkpoint.shard_finished ? 1 : 0);
  base::append_u8(out, static_cast<uint8_t>(checkpoint.lanes.size()));
  for (const LaneProgress& lane : checkpoint.lanes) append_lane(out, lane);
  base::append_string(out, checkpoint.incarnation);
  return out;
}

std::optional<Checkpoint> decode_checkpoint(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t format = reader.u8();
  if (format != kOneLaneFormat && format != kLanesFormat && format != kIncarnationFormat) return std::nullopt;
  Checkpoint checkpoint = format == kOneLaneFormat ? read_one_lane(reader) : read_lanes(reader);
  if (format == kIncarnationFormat) checkpoint.incarnation = reader.string();
  const bool is_sound =
      std::ranges::all_of(checkpoint.lanes, [](const LaneProgress& lane) { return lane.lane < lane.lane_count; });
  if (!reader.ok() || !reader.at_end() || !is_sound) return std::nullopt;
  return checkpoint;
}

}  // namespace tidemill::engine

// Map runs: what a distributed Map is while it runs, and to those who ask afterwards. Its children are executions of
// their own, begun by the run's mover (map_runs.h), and each tells its end by an entry that the mover takes in.
//
// KeySpace::execution 'm', account, region, machine "name/label", uuid, and then a letter:
//   d              the run: JSON
//   p              its plan: JSON
//   i              the items, if they came with the state's input: JSON
//   c  u64(index)  a child that has begun, and whose end was not taken in: how many items it has
//   e  u64(index)  the end of a child, not taken in yet: JSON
//   f  u64(index)  a child that did not succeed, for a redrive: how many items it has, and the input of an express one
//   o  u64(index)  what a child has left for the run's result
// KeySpace::execution 'M', id of the parent, when it started, uuid: the runs of an execution, the newest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/states/evaluate.h"
#include "services/states/item_cursor.h"
#include "services/states/keys.h"
#include "services/states/live.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace shapes = wire::states;

inline constexpr std::string_view kMapTimer = "states-map";  // id: map_run_key
inline constexpr int64_t kMapConcurrencyMax = 10'000;        // children at once

struct MapRunAddress {
  std::string account;
  std::string region;
  std::string machine;  // without a label
  std::string label;
  std::string uuid;

  [[nodiscard]] std::string arn() const;
  // What stands where an execution's machine stands: "name/label".
  [[nodiscard]] std::string child_machine() const;
};
// Throws InvalidArn.
[[nodiscard]] MapRunAddress parse_map_run_arn(std::string_view arn);
// Of a machine of children too: "name" of "name/label".
[[nodiscard]] std::string base_machine(std::string_view machine);

struct MapRunCounts {
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t timed_out = 0;
  int64_t aborted = 0;
  int64_t pending_redrive = 0;  // unsuccessful before the redrive, and not begun again yet
  int64_t not_redrivable = 0;   // of the failed ones, those that a redrive could not begin again

  [[nodiscard]] int64_t unsuccessful() const { return failed + timed_out + aborted; }
  [[nodiscard]] int64_t total() const { return running + succeeded + unsuccessful() + pending_redrive; }
  // Of what runs: `count` of it have ended.
  void end(Status status, int64_t count);
  // All that did not succeed is to be begun again.
  void redrive();
  // `count` of that run again, or cannot.
  void begin_again(int64_t count);
  void give_up(int64_t count);
};

enum class MapPhase : uint8_t { running, stopping, writing, over };

struct MapRunRecord {
  MapRunAddress address;
  ExecutionAddress parent;
  ExecutionId parent_id;
  FrameId frame = 0;
  uint32_t attempt = 0;
  std::string state;
  std::string revision;
  std::string role;
  bool has_express_children = false;
  MapPhase phase = MapPhase::running;
  Status status = Status::running;  // what it will end as, from the phase `stopping` on
  base::Time started{};
  std::optional<base::Time> stopped;
  std::string error;  // of one that fails
  std::string cause;
  int64_t concurrency_max = 0;  // 0: kMapConcurrencyMax
  std::optional<int64_t> tolerated_count;
  std::optional<double> tolerated_percentage;
  std::optional<int64_t> items_known;  // how many there are in all; nothing: the reader has not come to their end
  ItemCursor cursor;
  uint64_t next_child = 0;
  MapRunCounts items;
  MapRunCounts executions;
  int64_t output_bytes = 0;  // of what children have left; beyond the limit nothing more is kept
  bool is_redrivable = false;      // once it is over: what a redrive needs has been kept
  bool has_redrive_waiting = false;  // its parent was redriven before it was over
  int64_t redrives = 0;
  std::optional<base::Time> redriven;
};

// Who reads its items and writes its results: a session of its machine's role, as it was when the run began.
[[nodiscard]] wire::Principal principal_of(const MapRunRecord& run);

[[nodiscard]] std::string map_run_key(const MapRunAddress& address);
[[nodiscard]] std::string map_part_key(std::string_view run_key, char part);
[[nodiscard]] std::string map_child_key(std::string_view run_key, char part, uint64_t index);
[[nodiscard]] uint64_t index_of_child_key(std::string_view key);
[[nodiscard]] std::string map_runs_prefix(const ExecutionId& parent);
[[nodiscard]] std::string map_run_entry_key(const MapRunRecord& run);
// The child's name: the same for each attempt to begin it.
[[nodiscard]] std::string child_name(std::string_view run_key, uint64_t index);

[[nodiscard]] std::string encode_map_run(const MapRunRecord& run);
[[nodiscard]] MapRunRecord decode_map_run(std::string_view bytes);
void put_map_run(store::Transaction& txn, const MapRunRecord& run);
Task<std::optional<MapRunRecord>> find_map_run(store::Snapshot& reader, std::string run_key);

// What does not change: the plan without its items and its input.
[[nodiscard]] std::string encode_plan(const asl::MapPlan& plan);
[[nodiscard]] asl::MapPlan decode_plan(std::string_view bytes);

// Begins a run, in the transaction that moves its parent.
Task<void> begin_map_run(store::Transaction& txn, MapRunRecord run, const asl::MapPlan& plan);
// Sees to it that its mover looks at it.
Task<void> wake_map_run(store::Transaction& txn, std::string run_key, base::Time now);
// Of one whose parent does not wait for it any more; `is_redrivable`: unless that is redriven.
Task<void> abort_map_run(store::Transaction& txn, std::string arn, base::Time now, bool is_redrivable);
// With its parent; at once, or when it is over. Its mover begins what did not succeed again, and goes on reading.
Task<void> redrive_map_run(store::Transaction& txn, std::string arn, base::Time now);
void begin_redrive(MapRunRecord& run, base::Time now);
// What a redrive would have needed.
void erase_map_run_parts(store::Transaction& txn, std::string_view run_key);
// With the parent.
Task<void> forget_map_runs(store::Transaction& txn, ExecutionId parent);

// How a child has ended.
struct ChildEnd {
  std::string arn;
  std::string machine_arn;
  std::string name;
  std::string input;
  Status status = Status::running;
  std::optional<std::string> output;
  std::optional<std::string> error;
  std::optional<std::string> cause;
  base::Time started{};
  base::Time stopped{};
};
// In the transaction that ends it.
Task<void> note_child_end(store::Transaction& txn, std::string run_key, uint64_t index, const ChildEnd& end);
[[nodiscard]] ChildEnd decode_child_end(std::string_view bytes);
[[nodiscard]] std::string encode_child_end(const ChildEnd& end);

// What the parent is told.
struct MapRunEnd {
  Status status = Status::running;
  asl::Document output;  // of one that succeeded
  std::string error;
  std::string cause;
  bool is_redrivable = false;  // of one that did not
};

// Of a child that did not succeed, for a redrive.
struct UnsuccessfulChild {
  int64_t items = 0;
  std::string input;  // of an express one
};
[[nodiscard]] std::string encode_unsuccessful(const UnsuccessfulChild& child);
[[nodiscard]] UnsuccessfulChild decode_unsuccessful(std::string_view bytes);

}  // namespace tidemill::states

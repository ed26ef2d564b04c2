// Where an execution stands: flows of control in a tree, and what they wait for. The first is the machine's; each
// branch
// of a Parallel state and each iteration of an inline Map is one more, below the one whose state it belongs to.
// Those that
// wait are records only; who moves an execution on reads all of it, and writes what has changed in the transaction that
// adds to its history.
//
// Every change rewrites the head, whose first bytes count the changes: so a transaction that has read the head
// conflicts
// with every other change, and what is kept in memory is what stands in the store as long as the head is the same.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/states/evaluate.h"
#include "lang/states/machine.h"
#include "services/states/keys.h"
#include "services/states/long_evaluations.h"
#include "services/states/payload.h"
#include "services/states/tasks/task.h"
#include "store/store.h"

namespace tidemill::states {

namespace asl = lang::states;

using FrameId = uint32_t;
inline constexpr FrameId kRootFrame = 1;

enum class Phase : uint8_t {
  ready,       // its state is to be entered, or tried again
  waiting,     // a Wait, until a timer
  retrying,    // until a timer, then its state is tried again
  calling,     // a task's resource is being called
  submitted,   // a task's service has taken it; a token's answer or a nested execution's end is awaited
  scheduled,   // an activity's task that no worker has taken
  started,     // one that a worker has
  branches,    // of a Parallel
  iterations,  // of a Map
  map_run,     // of a distributed Map: its run's end is awaited
};

enum class TimerPurpose : char { wait = 'w', retry = 'r', timeout = 't', heartbeat = 'b', deadline = 'd' };

// What somebody has answered a task with, by its token.
struct TaskAnswer {
  bool is_success = false;
  std::string output;  // JSON
  std::optional<std::string> error;
  std::optional<std::string> cause;
};

struct Frame {
  FrameId id = kRootFrame;
  FrameId parent = 0;  // 0: none
  uint32_t index = 0;  // of the branch or the iteration
  std::string state;
  Phase phase = Phase::ready;
  bool is_entered = false;       // its state's Entered event stands
  Payload input;                 // of the state, raw
  uint64_t entered_event = 0;
  uint64_t last_event = 0;       // the next one's previousEventId
  base::Time entered{};
  std::vector<int64_t> attempts;  // of each retrier
  int64_t retries = 0;            // of all
  std::string timers;             // purposes of those that are set

  // Of a Task
  uint32_t attempt = 0;           // counts all attempts of the frame: names calls and tokens
  std::optional<int64_t> heartbeat_seconds;
  std::optional<TaskAnswer> answer;  // that came before the service's
  std::string nested;                // the ARN of the execution whose end is the task's, or of the map run
  base::Time offered{};              // an activity's task, to workers
  std::string credentials;           // the role that Credentials names; empty: the machine's

  // Of a distributed Map: its last run, which a redrive of the execution redrives; empty: it has none that could be
  std::string map_run;
  uint32_t map_run_redrives = 0;

  // Not in its record: the state; what the containers below it collect
  const asl::State* at = nullptr;
  json::Object variables;
  size_t variables_bytes = 0;        // of them as text, as they were read or written last
  Payload arguments;                 // of a task under way; of a Parallel, what its branches begin with
  asl::Document items;               // of a Map: an array, or an object whose members they are
  size_t items_bytes = 0;            // of their record, where they are kept
  asl::Document map_input;           // what its ItemSelector sees; null: not evaluated since it was read
  int64_t concurrency = 0;           // of a Map
  std::map<uint32_t, Payload> results;
  size_t results_bytes = 0;          // of them as text, where they are kept
  uint32_t children = 0;             // that run
};

[[nodiscard]] size_t count_of(const asl::Document& items);
// `key` becomes a member's name; items of arrays have none.
[[nodiscard]] asl::Document item_of(const asl::Document& items, size_t index, std::string_view& key);

enum class Status : uint8_t { running, succeeded, failed, timed_out, aborted };
// "RUNNING", …
[[nodiscard]] std::string_view name_of(Status status);
// Nothing: it is none of them.
[[nodiscard]] std::optional<Status> status_of(std::string_view name);

// The task of another execution that waits for this one's end.
struct Watcher {
  ExecutionId id;
  FrameId frame = 0;
  uint32_t attempt = 0;
  bool operator==(const Watcher&) const = default;
};

// What stands in the head.
struct Head {
  uint64_t edition = 0;     // of the changes
  uint64_t next_event = 1;
  FrameId next_frame = kRootFrame;
  Status status = Status::running;
  ExecutionAddress address;
  std::string revision;     // of the definition
  std::string role;
  base::Time started{};
  uint32_t redrives = 0;
  std::optional<base::Time> redriven;
  bool has_deadline = false;  // a timer of it is set
  std::vector<Watcher> watchers;  // several, where they have begun it by the same name and input
  std::string map_run;      // of a child of a map run: the run's key; empty: it is none
  uint64_t map_child = 0;   // which child
};

struct Live {
  ExecutionId id;
  Head head;
  std::shared_ptr<const asl::Machine> machine;
  std::map<FrameId, Frame> frames;
  json::Value context;     // $$: what is of the execution stands in it already
  bool is_kept = true;     // false: in memory only; nothing below is collected
  std::string head_bytes;  // as read or written last

  // Changes since it was read or saved.
  std::set<FrameId> dirty;
  std::vector<std::pair<std::string, std::optional<std::string>>> writes;  // parts of keys behind live_prefix(id)

  [[nodiscard]] Frame* find(FrameId frame);
  [[nodiscard]] Frame& parent_of(const Frame& frame) { return frames.at(frame.parent); }
  // The first one behind `after` that can go on; null: all of them wait.
  [[nodiscard]] Frame* first_ready(FrameId after = 0);
  Frame& add_frame(FrameId parent, uint32_t index, std::string state, Payload input);
  void touch(const Frame& frame) { dirty.insert(frame.id); }

  // Set what stands in records of its own.
  void set_variables(Frame& frame, json::Object assigned);
  void set_arguments(Frame& frame, Payload arguments);
  void set_items(Frame& frame, asl::Document items, int64_t concurrency);
  void set_result(Frame& frame, uint32_t index, Payload result);
  // Forgets what a finished task, Parallel or Map has collected.
  void clear_collected(Frame& frame);
  // With its records; those below it must have been erased.
  void erase_frame(FrameId frame);

  // Of the documents of all flows that stand in records, about, as text: what many share counts once.
  [[nodiscard]] size_t bytes_on_hand() const;
};

// Tracked: a transaction conflicts with every other change of the execution. Nothing: there is none, or it is over and
// left nothing to redrive.
Task<std::optional<std::string>> read_head(store::Snapshot& reader, const ExecutionId& id);
[[nodiscard]] Head decode_head(std::string_view bytes);

// Frames and what they have collected, behind the head that was read, which guards them. `live` has its id and machine.
// Throws DamagedState.
Task<void> read_frames(store::Transaction& reader, Live& live, LongEvaluations& evaluations);
// Of one flow only what a call of its task needs: its frame and arguments. Nothing, if there is none.
Task<void> read_called(store::Transaction& reader, Live& live, FrameId id);

// Writes what has changed, and a head of the next edition. `live` stays good only if the transaction commits.
void save(store::Transaction& txn, Live& live);
// Erases all of it.
void erase_live(store::Transaction& txn, Live& live);
// The same, whether it can be read or not.
void erase_unread(store::Transaction& txn, const ExecutionId& id);

}  // namespace tidemill::states

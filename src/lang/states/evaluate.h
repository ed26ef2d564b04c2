// What states do: pure functions from a state and what it sees to what comes of it. No I/O: whoever calls runs the
// tasks, waits, and keeps what is durable. All throw StateError.
//
//   state      enter                     then                        leave
//   Pass       -                         -                           run_pass
//   Choice     -                         -                           run_choice
//   Succeed    -                         -                           run_succeed
//   Fail       -                         -                           fail_of
//   Wait       wait_until                wait                        leave(result: null)
//   Task       task_of                   run it                      leave(result), retry, catch_error
//   Parallel   arguments_of              each branch with it         leave(array of outputs), retry, catch_error
//   Map        map_of, then item_input   the processor with each     leave(array of outputs), retry, catch_error
//
// A StateError that is thrown by enter or leave of a Task, Parallel or Map goes through retry() and catch_error() too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lang/states/document.h"
#include "lang/states/machine.h"
#include "lang/states/state_error.h"

namespace tidemill::lang::states {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

// What an evaluation may know of the world.
struct World {
  Time now{};
  std::function<uint64_t()> random;   // States.MathRandom, $random, $shuffle, jitter
  std::function<std::string()> uuid;  // States.UUID, $uuid
  // Called when an expression of JSONata has taken kQueryStepsAtOnce; it may throw, and what it throws ends the
  // evaluation. Else that begins anew, and may take all that the language allows. Null: it may at once.
  std::function<void()> when_long;
};

// Of an expression that may hold a loop: some hundred microseconds.
inline constexpr int64_t kQueryStepsAtOnce = 4'000;

// Variables of one scope; those of the scopes around it can be read. A chain lives on the caller's stack.
struct Variables {
  const json::Object* values = nullptr;  // null: none
  const Variables* outer = nullptr;      // null: the outermost

  // Null: there is none of this name.
  [[nodiscard]] const json::Value* find(std::string_view name) const;
};

// What a state sees. `context` is $$ and $states.context; the engine writes it (Execution, State, StateMachine, Task,
// Map).
struct Scope {
  Document input;  // the state's raw input
  const json::Value* context = nullptr;
  const Variables* variables = nullptr;
  const World* world = nullptr;
};

// What happened in between, for TestState's inspectionData. Null: did not happen.
struct Trace {
  Document after_input_path;
  Document after_parameters;
  Document after_arguments;
  Document result;
  Document after_result_selector;
  Document after_result_path;
  Document after_items_path;
};

// How a state is left.
struct Exit {
  Document output;
  json::Object assigned;  // variables to set in the state's own scope
  std::string_view next;  // empty: the flow ends here
};

[[nodiscard]] Exit run_pass(const State& state, const Scope& scope, Trace* trace = nullptr);
[[nodiscard]] Exit run_choice(const State& state, const Scope& scope, Trace* trace = nullptr);
[[nodiscard]] Exit run_succeed(const State& state, const Scope& scope, Trace* trace = nullptr);

struct Fail {
  std::optional<std::string> error;
  std::optional<std::string> cause;
};
[[nodiscard]] Fail fail_of(const State& state, const Scope& scope);

// The moment at which a Wait that is entered at world->now ends; it may be in the past.
[[nodiscard]] Time wait_until(const State& state, const Scope& scope, Trace* trace = nullptr);

// What a Task, Parallel or Map works on: InputPath and Parameters, or Arguments (Map: only InputPath).
[[nodiscard]] Document arguments_of(const State& state, const Scope& scope, Trace* trace = nullptr);

struct TaskPlan {
  Document arguments;
  int64_t timeout_seconds = kTimeoutSecondsDefault;
  bool has_timeout = false;  // it is said; history shows only what is said
  std::optional<int64_t> heartbeat_seconds;
  std::optional<std::string> role_arn;  // Credentials.RoleArn
};
[[nodiscard]] TaskPlan task_of(const State& state, const Scope& scope, Trace* trace = nullptr);

struct ItemReader {
  enum class InputType : uint8_t { none, csv, json, jsonl, parquet, manifest };
  enum class HeaderLocation : uint8_t { none, first_row, given };

  std::string resource;  // "arn:aws:states:::s3:getObject", …:listObjectsV2
  Document arguments;    // {"Bucket": …, "Key": …}, {"Bucket": …, "Prefix": …}
  InputType input_type = InputType::none;
  HeaderLocation header_location = HeaderLocation::none;
  std::vector<std::string> headers;
  char delimiter = ',';
  int64_t items_max = 0;          // 0: all
  std::string items_pointer;      // a JSON Pointer to the array within the object; empty: the whole
  std::string manifest_type;      // "S3_INVENTORY", "ATHENA_DATA"; empty: none
  bool load_and_flatten = false;  // ReaderConfig.Transformation of listings: read each object
  std::string expected_bucket_owner;
};

struct ItemBatcher {
  std::optional<int64_t> items_max;
  std::optional<int64_t> bytes_max;
  Document input;  // BatchInput; null: none
};

struct ResultWriter {
  enum class Transformation : uint8_t { none, compact, flatten };
  enum class OutputType : uint8_t { json, jsonl };

  std::string resource;  // empty: results become the state's output, transformed
  Document arguments;    // {"Bucket": …, "Prefix": …}; null: none
  Transformation transformation = Transformation::none;
  OutputType output_type = OutputType::json;
};

struct MapPlan {
  Document input;               // what selectors see as $: the raw input after InputPath
  Document items;               // an array, or an object whose members are the items; null: a reader brings them
  int64_t concurrency_max = 0;  // 0: as many as possible
  std::optional<int64_t> tolerated_failure_count;
  std::optional<double> tolerated_failure_percentage;
  std::optional<ItemReader> reader;
  std::optional<ItemBatcher> batcher;
  std::optional<ResultWriter> writer;
};
// What a Map's ItemReader says literally, without its arguments. Nothing: it has none.
[[nodiscard]] std::optional<ItemReader> literal_reader_of(const State& state);
[[nodiscard]] MapPlan map_of(const State& state, const Scope& scope, Trace* trace = nullptr);

struct MapItem {
  size_t index = 0;
  Document value;
  std::string_view key = {};     // of a member of an object; empty: none
  std::string_view source = {};  // where a reader found it; empty: none
};
// ItemSelector, which sees the item in the context ($$.Map.Item.Value); without one the item itself (of an object's
// member: {"Key": …, "Value": …}). `input` is map_of().input; `scope` is the Map state's.
[[nodiscard]] Document item_input(const State& state, const Scope& scope, const Document& input, const MapItem& item);
[[nodiscard]] bool has_item_selector(const State& state);  // of a Map
// {"BatchInput": …, "Items": […]}
[[nodiscard]] Document batch_input(const ItemBatcher& batcher, std::span<const Document> items);

// Leaves a Task, Parallel or Map with its result, or a Wait (null).
[[nodiscard]] Exit leave(const State& state, const Scope& scope, Document result, Trace* trace = nullptr);

// What a state failed with.
struct Failure {
  std::string error;
  std::string cause;
  bool has_error = true;  // SendTaskFailure may say neither
  bool has_cause = true;
  bool is_missed_heartbeat = false;  // of States.Timeout: States.HeartbeatTimeout names it, too
};

struct Retrial {
  size_t retrier = 0;  // whose counter the caller adds one to
  std::chrono::milliseconds delay{};
};
// `attempts`: how often each retrier of the state has been taken since the state was entered; as many as
// state.retriers, missing ones are 0. Nothing: it is not tried again. `world` is asked for randomness only by
// "JitterStrategy": "FULL".
[[nodiscard]] std::optional<Retrial> retry(const State& state, const Failure& failure,
                                           std::span<const int64_t> attempts, const World& world);

struct Caught {
  size_t catcher = 0;
  Exit exit;
};
// Nothing: nobody catches it, and the failure is the flow's.
[[nodiscard]] std::optional<Caught> catch_error(const State& state, const Scope& scope, const Failure& failure,
                                                Trace* trace = nullptr);

// Whether one of the names means the failure, by the rules of States.ALL, States.TaskFailed and the timeouts.
[[nodiscard]] bool names_failure(std::span<const std::string> names, const Failure& failure);

}  // namespace tidemill::lang::states

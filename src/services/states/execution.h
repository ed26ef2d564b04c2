// What an execution is to those who ask: kept under its machine and name, for 90 days after its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/states/keys.h"
#include "services/states/live.h"
#include "services/states/long_evaluations.h"
#include "store/store.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace shapes = wire::states;

inline constexpr base::Duration kExecutionKeptFor = std::chrono::days(90);
inline constexpr base::Duration kExecutionAgeMax = std::chrono::days(365);
inline constexpr base::Duration kRedrivableFor = std::chrono::days(14);
inline constexpr base::Duration kRedriveTokenFor = std::chrono::minutes(15);
inline constexpr uint32_t kMapRunRedrivesMax = 1000;

struct ExecutionRecord {
  ExecutionId id;
  ExecutionAddress address;
  std::string revision;
  std::string role;
  Status status = Status::running;
  base::Time started;
  std::optional<base::Time> stopped;
  std::string input;
  std::optional<std::string> output;
  std::optional<std::string> error;
  std::optional<std::string> cause;
  std::optional<std::string> version_arn;
  std::optional<std::string> alias_arn;
  std::optional<std::string> trace_header;
  std::optional<std::string> map_run_arn;  // of which it is a child
  uint32_t redrives = 0;
  std::optional<base::Time> redriven;
  std::optional<std::string> redrive_token;  // of the client that asked for the last
  std::optional<bool> is_state_lost;  // what it was doing could not be read when it was ended: it cannot be redriven
};

// Throws InvalidArn.
[[nodiscard]] ExecutionAddress parse_execution_arn(std::string_view arn);

[[nodiscard]] std::string encode_execution(const ExecutionRecord& record);
// Throws std::runtime_error if it is damaged.
[[nodiscard]] ExecutionRecord decode_execution(ExecutionAddress address, std::string_view bytes);
Task<std::optional<ExecutionRecord>> find_execution(store::Snapshot& reader, ExecutionAddress address);
// Throws ExecutionDoesNotExist.
Task<ExecutionRecord> load_execution(store::Snapshot& reader, ExecutionAddress address);
// The same, for those who are asked by clients: of one with large documents nobody waits until it is read.
Task<ExecutionRecord> load_execution(store::Snapshot& reader, ExecutionAddress address, LongEvaluations& evaluations);

// With its entries in the lists of its machine's. `before`: its status till now; nothing: it is new.
void put_execution(store::Transaction& txn, const ExecutionRecord& record, std::optional<Status> before);
// The entry in the list of its status alone.
void list_by_status(store::Transaction& txn, const ExecutionRecord& record);
void erase_execution(store::Transaction& txn, const ExecutionRecord& record);

[[nodiscard]] shapes::DescribeExecutionOutput describe(const ExecutionRecord& record, base::Time now, bool with_data);
// Of an entry of the list.
[[nodiscard]] shapes::ExecutionListItem list_item(ExecutionAddress machine, std::string_view value);

}  // namespace tidemill::states

// Keys of executions, and what keys are made of. KeySpace::execution, a letter, and then:
//
//   d  account, region, machine, revision     a revision of a definition: JSON
//   e  account, region, machine, name         what an execution is: JSON (execution.h)
//   l  account, region, machine, time, name   executions by when they started, the newest first
//   L  account, region, machine, status, time, name   the same, by status: a byte
//   b                                         there: every execution stands in a list by status (status_lists.h)
//   h  id, event                              history: the events of one transition, from this one on (history.h)
//   g  id                                      how much of the history stands in CloudWatch Logs (execution_log.h)
//   r  id, part                               where it stands (live.h): what runs, and what may be redriven
//   a  activity id, time, id, frame           tasks that wait for a worker (activity.h)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::states {

inline constexpr size_t kExecutionIdBytes = 16;

// Random, and told to nobody but as a part of tokens.
struct ExecutionId {
  std::string bytes;  // kExecutionIdBytes
  auto operator<=>(const ExecutionId&) const = default;
};
[[nodiscard]] ExecutionId new_execution_id();

// Which execution of which machine.
struct ExecutionAddress {
  std::string account;
  std::string region;
  std::string machine;
  std::string name;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] std::string machine_arn() const;
  auto operator<=>(const ExecutionAddress&) const = default;
};

[[nodiscard]] std::string definition_key(std::string_view account, std::string_view region, std::string_view machine,
                                         std::string_view revision);
[[nodiscard]] std::string execution_key(const ExecutionAddress& address);
// Of such a key. Throws std::runtime_error if it is none.
[[nodiscard]] ExecutionAddress address_of_key(std::string_view key);
// Of all executions of a machine.
[[nodiscard]] std::string listing_prefix(std::string_view account, std::string_view region, std::string_view machine);
[[nodiscard]] std::string listing_key(const ExecutionAddress& address, base::Time started);
// Of all machines.
[[nodiscard]] std::string listings_prefix();
// Of such a key. Throws std::runtime_error if it is none.
[[nodiscard]] ExecutionAddress address_of_listing_key(std::string_view key);
[[nodiscard]] std::string relisted_key();
// Of those of one status; the number is that of live.h.
[[nodiscard]] std::string status_listing_prefix(std::string_view account, std::string_view region,
                                                std::string_view machine, uint8_t status);
[[nodiscard]] std::string status_listing_key(const ExecutionAddress& address, uint8_t status, base::Time started);
[[nodiscard]] std::string history_prefix(const ExecutionId& id);
[[nodiscard]] std::string history_key(const ExecutionId& id, uint64_t first_event);
[[nodiscard]] std::string live_prefix(const ExecutionId& id);
[[nodiscard]] std::string activity_prefix(std::string_view activity_id);

}  // namespace tidemill::states

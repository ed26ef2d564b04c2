// What a pipe is, and how it is kept: a description of its own, and the event source mapping that feeds it
// (engine/mappings/mapping.h), whose batches go to the pipe's ARN. Everything about reading the source is the
// mapping's: where it begins, how far it is, its retries. So is the pipe's state: RUNNING is a mapping that is enabled.
// Both are written together, and the description goes in the transaction that erases the mapping.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/mappings/mapping.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/pipes.h"

namespace tidemill::pipes {

namespace shapes = wire::pipes;

struct PipeAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
};
// Nothing: it is no ARN of a pipe.
[[nodiscard]] std::optional<PipeAddress> parse_pipe_arn(std::string_view arn);
[[nodiscard]] PipeAddress address_of(const wire::Context& context, std::string name);

struct Pipe {
  PipeAddress address;
  base::Time created;
  base::Time modified;
  std::string mapping_uuid;
  std::string failed_state;  // CREATE_FAILED, START_FAILED; empty: none
  std::string failure;       // why; for people
  // As it was asked for, with AWS's defaults in the place of what was not said.
  shapes::CreatePipeInput settings;
};

// On whose behalf it calls its enrichment and its target.
[[nodiscard]] wire::Principal principal_of(const Pipe& pipe);

[[nodiscard]] std::string pipe_key(const PipeAddress& address);
[[nodiscard]] store::Range pipes_range(std::string_view account, std::string_view region);
[[nodiscard]] PipeAddress pipe_of_key(std::string_view key);

[[nodiscard]] std::string encode_pipe(const Pipe& pipe);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Pipe decode_pipe(PipeAddress address, std::string_view bytes);

// A pipe with the mapping that feeds it.
struct FedPipe {
  Pipe pipe;
  engine::Mapping mapping;

  // RUNNING, STOPPED, …
  [[nodiscard]] std::string_view state() const;
  [[nodiscard]] std::string desired_state() const;
  // Neither on its way to another state nor failed for good.
  [[nodiscard]] bool is_settled() const;
};

// Nothing: there is none. The reads are tracked if `reader` is a transaction.
Task<std::optional<FedPipe>> find_pipe(store::Snapshot& reader, PipeAddress address);
// The same; throws NotFoundException.
Task<FedPipe> load_pipe(store::Snapshot& reader, PipeAddress address);

// Writes both, and wakes those who run mappings.
void save_pipe(store::Transaction& txn, const FedPipe& fed);

}  // namespace tidemill::pipes

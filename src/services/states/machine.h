// State machines and the revisions of their definitions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::states {

// What an ARN names: a machine, or with a qualifier one of its versions ("3") or aliases ("live").
struct MachineRef {
  std::string account;
  std::string region;
  std::string name;
  std::string qualifier;

  [[nodiscard]] std::string arn() const;            // with the qualifier
  [[nodiscard]] std::string unqualified_arn() const;
  [[nodiscard]] bool is_version() const;
};
// Throws InvalidArn.
[[nodiscard]] MachineRef parse_machine_arn(std::string_view arn);

struct StateMachine {
  std::string account;
  std::string region;
  std::string name;
  base::Time created;
  bool is_express = false;
  std::string revision;      // of the definition in force
  bool was_updated = false;  // before that the revision has no name to the outside
  uint64_t last_version = 0;
  json::TextMap tags;

  [[nodiscard]] std::string arn() const;
};

// One revision: never changes.
struct Definition {
  std::string revision;
  std::string text;
  std::string role;
  base::Time created;
  std::string log_level = "OFF";
  bool logs_data = false;
  std::string log_group;  // ARN; empty: none
};

struct MachineVersion {
  uint64_t number = 0;
  std::string revision;
  std::optional<std::string> description;
  base::Time created;
};

struct Route {
  uint64_t version = 0;
  int32_t weight = 0;
};
struct MachineAlias {
  std::string name;
  std::optional<std::string> description;
  std::vector<Route> routes;  // one or two, 100 in all
  base::Time created;
  base::Time updated;
};

[[nodiscard]] std::string machine_key(const MachineRef& ref);
[[nodiscard]] store::Range machines_range(std::string_view account, std::string_view region);
// Behind machines stand their versions and aliases.
[[nodiscard]] bool is_machine_key(std::string_view key);
[[nodiscard]] StateMachine decode_machine(std::string_view key, std::string_view bytes);
[[nodiscard]] std::string encode_machine(const StateMachine& machine);
Task<std::optional<StateMachine>> find_machine(store::Snapshot& reader, const MachineRef& ref);
// A session of its role, as Step Functions takes it on for a machine.
[[nodiscard]] wire::Principal session_of(std::string role, std::string machine_arn);

// Throws StateMachineDoesNotExist, in the words of the ARN as given.
Task<StateMachine> load_machine(store::Snapshot& reader, MachineRef ref);

void put_definition(store::Transaction& txn, const StateMachine& machine, const Definition& definition);
// Throws std::runtime_error if it is not there.
Task<Definition> load_definition(store::Snapshot& reader, std::string account, std::string region, std::string machine,
                                 std::string revision);

// Versions and aliases stand behind the machine's key.
[[nodiscard]] std::string version_key(const MachineRef& machine, uint64_t number);
[[nodiscard]] store::Range versions_range(const MachineRef& machine);
[[nodiscard]] std::string encode_version(const MachineVersion& version);
[[nodiscard]] MachineVersion decode_version(std::string_view bytes);
[[nodiscard]] std::string alias_key(const MachineRef& machine, std::string_view name);
[[nodiscard]] store::Range aliases_range(const MachineRef& machine);
[[nodiscard]] std::string encode_alias(const MachineAlias& alias);
[[nodiscard]] MachineAlias decode_alias(std::string_view bytes);

// What a StartExecution of a possibly qualified ARN runs.
struct Chosen {
  StateMachine machine;
  std::string revision;
  std::optional<std::string> version_arn;
  std::optional<std::string> alias_arn;
};
// `draw`: 0 to 99, for the weights of an alias. Throws StateMachineDoesNotExist.
Task<Chosen> choose(store::Snapshot& reader, MachineRef ref, int draw);

}  // namespace tidemill::states

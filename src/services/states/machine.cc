#include "services/states/machine.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/keys.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr store::ResourceType kMachines{"states", "machine"};
constexpr std::string_view kVersionPart = "version";
constexpr std::string_view kAliasPart = "alias";
constexpr std::string_view kMachine = "stateMachine:";

constexpr auto kMachineMembers = [](auto& member, auto& machine) {
  member("created_us", machine.created);
  member("express", machine.is_express);
  member("revision", machine.revision);
  member("updated", machine.was_updated);
  member("last_version", machine.last_version);
  member("tags", machine.tags);
};

constexpr auto kDefinitionMembers = [](auto& member, auto& definition) {
  member("text", definition.text);
  member("role", definition.role);
  member("created_us", definition.created);
  member("log_level", definition.log_level);
  member("logs_data", definition.logs_data);
  member("log_group", definition.log_group);
};

constexpr auto kVersionMembers = [](auto& member, auto& version) {
  member("number", version.number);
  member("revision", version.revision);
  member("description", version.description);
  member("created_us", version.created);
};

// Of routes: [version, weight] of each.
std::vector<std::vector<int64_t>> pairs_of(const std::vector<Route>& routes) {
  std::vector<std::vector<int64_t>> pairs;
  for (const Route& route : routes) pairs.push_back({static_cast<int64_t>(route.version), route.weight});
  return pairs;
}

std::optional<std::vector<Route>> routes_of(const std::vector<std::vector<int64_t>>& pairs) {
  std::vector<Route> routes;
  for (const auto& pair : pairs) {
    if (pair.size() != 2) return std::nullopt;
    routes.push_back({static_cast<uint64_t>(pair[0]), static_cast<int32_t>(pair[1])});
  }
  return routes;
}

constexpr auto kAliasMembers = [](auto& member, auto& alias) {
  member("name", alias.name);
  member("description", alias.description);
  member("created_us", alias.created);
  member("updated_us", alias.updated);
  member.as("routes", alias.routes, pairs_of, routes_of);
};

std::string part_key(const MachineRef& machine, std::string_view part) {
  std::string key = machine_key(machine);
  base::append_string(key, part);
  return key;
}

}  // namespace

std::string MachineRef::unqualified_arn() const {
  return cat("arn:aws:states:", region, ":", account, ":stateMachine:", name);
}

std::string MachineRef::arn() const {
  return qualifier.empty() ? unqualified_arn() : cat(unqualified_arn(), ":", qualifier);
}

bool MachineRef::is_version() const {
  return !qualifier.empty() && std::ranges::all_of(qualifier, [](char c) { return c >= '0' && c <= '9'; });
}

MachineRef parse_machine_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("states", text);
  if (!arn || !arn->resource.starts_with(kMachine)) throw invalid_arn(text);
  const std::string_view rest = arn->resource.substr(kMachine.size());
  const size_t colon = rest.find(':');
  MachineRef ref{std::string(arn->account), std::string(arn->region), std::string(rest.substr(0, colon)), ""};
  if (colon != std::string_view::npos) ref.qualifier = rest.substr(colon + 1);
  if (ref.name.empty() || (colon != std::string_view::npos && ref.qualifier.empty())) throw invalid_arn(text);
  return ref;
}

std::string StateMachine::arn() const { return MachineRef{account, region, name, ""}.arn(); }

std::string machine_key(const MachineRef& ref) {
  return store::resource_key(kMachines, ref.account, ref.region, ref.name);
}

store::Range machines_range(std::string_view account, std::string_view region) {
  return store::resources_range(kMachines, account, region);
}

bool is_machine_key(std::string_view key) { return store::resource_of_key(kMachines, key).has_value(); }

std::string encode_machine(const StateMachine& machine) { return json::encode(machine, kMachineMembers); }

StateMachine decode_machine(std::string_view key, std::string_view bytes) {
  auto address = store::resource_of_key(kMachines, key);
  if (!address) throw std::runtime_error("a stored state machine is damaged: key");
  return json::decode("state machine", bytes, kMachineMembers,
                      StateMachine{.account = std::move(address->account),
                                   .region = std::move(address->region),
                                   .name = std::move(address->name)});
}

Task<std::optional<StateMachine>> find_machine(store::Snapshot& reader, const MachineRef& ref) {
  const std::string key = machine_key(ref);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_machine(key, *bytes);
}

wire::Principal session_of(std::string role, std::string machine_arn) {
  return wire::Principal::role({.role_arn = std::move(role),
                                .session_name = "StepFunctions",
                                .service = "states.amazonaws.com",
                                .source_arn = std::move(machine_arn)});
}

Task<StateMachine> load_machine(store::Snapshot& reader, MachineRef ref) {
  auto machine = co_await find_machine(reader, ref);
  if (!machine) throw no_machine(ref.arn());
  co_return *std::move(machine);
}

void put_definition(store::Transaction& txn, const StateMachine& machine, const Definition& definition) {
  txn.put(definition_key(machine.account, machine.region, machine.name, definition.revision),
          json::encode(definition, kDefinitionMembers));
}

Task<Definition> load_definition(store::Snapshot& reader, std::string account, std::string region, std::string machine,
                                 std::string revision) {
  const auto bytes = co_await reader.get(definition_key(account, region, machine, revision));
  if (!bytes) throw std::runtime_error(cat("the definition ", revision, " of ", machine, " is lost"));
  co_return json::decode("definition", *bytes, kDefinitionMembers, Definition{.revision = std::move(revision)});
}

std::string version_key(const MachineRef& machine, uint64_t number) {
  std::string key = part_key(machine, kVersionPart);
  base::append_u64(key, number);
  return key;
}

store::Range versions_range(const MachineRef& machine) { return store::Range::prefix(part_key(machine, kVersionPart)); }

std::string encode_version(const MachineVersion& version) { return json::encode(version, kVersionMembers); }

MachineVersion decode_version(std::string_view bytes) {
  return json::decode<MachineVersion>("version of a state machine", bytes, kVersionMembers);
}

std::string alias_key(const MachineRef& machine, std::string_view name) {
  std::string key = part_key(machine, kAliasPart);
  base::append_string(key, name);
  return key;
}

store::Range aliases_range(const MachineRef& machine) { return store::Range::prefix(part_key(machine, kAliasPart)); }

std::string encode_alias(const MachineAlias& alias) { return json::encode(alias, kAliasMembers); }

MachineAlias decode_alias(std::string_view bytes) {
  return json::decode<MachineAlias>("alias of a state machine", bytes, kAliasMembers);
}

namespace {

Task<MachineVersion> load_version(store::Snapshot& reader, MachineRef ref, std::string number_text, std::string asked) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(number_text.data(), number_text.data() + number_text.size(), number);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == number_text.data() + number_text.size();
  const auto bytes = is_number ? co_await reader.get(version_key(ref, number)) : std::nullopt;
  if (!bytes) throw no_machine(asked);
  co_return decode_version(*bytes);
}

uint64_t drawn_version(const MachineAlias& alias, int draw) {
  for (const Route& route : alias.routes) {
    if (draw < route.weight) return route.version;
    draw -= route.weight;
  }
  return alias.routes.back().version;
}

}  // namespace

Task<Chosen> choose(store::Snapshot& reader, MachineRef ref, int draw) {
  const std::string asked = ref.arn();
  Chosen chosen{.machine = co_await load_machine(reader, ref), .revision = {}, .version_arn = {}, .alias_arn = {}};
  chosen.revision = chosen.machine.revision;
  if (ref.qualifier.empty()) co_return chosen;
  std::string number = ref.qualifier;
  if (!ref.is_version()) {
    const auto bytes = co_await reader.get(alias_key(ref, ref.qualifier));
    if (!bytes) throw no_machine(asked);
    chosen.alias_arn = asked;
    number = std::to_string(drawn_version(decode_alias(*bytes), draw));
  }
  const MachineVersion version = co_await load_version(reader, ref, number, asked);
  chosen.revision = version.revision;
  chosen.version_arn = cat(ref.unqualified_arn(), ":", number);
  co_return chosen;
}

// ---- Parsed definitions ---------------------------------------------------------------------------------------------

}  // namespace tidemill::states

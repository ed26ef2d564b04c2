// CreateStateMachineAlias, DescribeStateMachineAlias, UpdateStateMachineAlias, DeleteStateMachineAlias and
// ListStateMachineAliases.
#include <algorithm>

#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/listing.h"
#include "services/states/machine.h"
#include "services/states/operations.h"

namespace tidemill::states {
namespace {

using base::cat;
using Routing = std::vector<shapes::RoutingConfigurationListItem>;

wire::Error invalid_routing(std::string_view what) {
  return errors::validation_exception(std::string(what),
                                      {.reason = "INVALID_ROUTING_CONFIGURATION"});
}

// API reference, CreateStateMachineAlias: letters, digits, '-', '_' and '.', and not only digits.
void check_alias_name(std::string_view name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_plain || is_number) throw invalid_name(name);
}

MachineRef machine_of(const Routing& routing) {
  MachineRef machine = parse_machine_arn(routing.front().state_machine_version_arn);
  machine.qualifier.clear();
  return machine;
}

Task<std::vector<Route>> routes_of(store::Transaction& txn, MachineRef machine, Routing routing) {
  std::vector<Route> routes;
  int32_t sum = 0;
  for (const auto& item : routing) {
    const MachineRef version = parse_machine_arn(item.state_machine_version_arn);
    if (!version.is_version()) throw invalid_arn(item.state_machine_version_arn);
    if (version.unqualified_arn() != machine.unqualified_arn()) {
      throw invalid_routing("Versions of an alias must be of one state machine.");
    }
    const Route route{std::stoull(version.qualifier.substr(0, 18)), item.weight};
    if (!co_await txn.get(version_key(machine, route.version))) {
      throw errors::resource_not_found(
          cat("Request references a resource that does not exist: '", item.state_machine_version_arn, "'"),
          {.resource_name = item.state_machine_version_arn});
    }
    if (std::ranges::find(routes, route.version, &Route::version) != routes.end()) {
      throw invalid_routing("Routing configuration must contain distinct versions.");
    }
    sum += route.weight;
    routes.push_back(route);
  }
  if (sum != 100) throw invalid_routing("Sum of routing configuration weights must equal 100");
  co_return routes;
}

Task<MachineAlias> load_alias(store::Snapshot& reader, MachineRef ref, std::string asked) {
  const auto bytes = co_await reader.get(alias_key(ref, ref.qualifier));
  if (!bytes) {
    throw errors::resource_not_found(cat("Request references a resource that does not exist: '", asked, "'"),
                                     {.resource_name = asked});
  }
  co_return decode_alias(*bytes);
}

MachineRef parse_alias_arn(std::string_view arn) {
  MachineRef ref = parse_machine_arn(arn);
  if (ref.qualifier.empty() || ref.is_version()) throw invalid_arn(arn);
  return ref;
}

}  // namespace

Task<shapes::CreateStateMachineAliasOutput> create_state_machine_alias(
    Service& service, wire::Context& context, const shapes::CreateStateMachineAliasInput& request) {
  check_alias_name(request.name);
  const MachineRef machine = machine_of(request.routing_configuration);
  const base::Time now = context.now();
  co_return co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<shapes::CreateStateMachineAliasOutput> {
        (void)co_await load_machine(txn, machine);
        MachineAlias alias{request.name, request.description,
                           co_await routes_of(txn, machine, request.routing_configuration), now, now};
        const std::string key = alias_key(machine, alias.name);
        const std::string arn = cat(machine.arn(), ":", alias.name);
        if (const auto existing = co_await txn.get(key)) {
          const MachineAlias before = decode_alias(*existing);
          alias.created = before.created;
          alias.updated = before.updated;
          if (encode_alias(before) != encode_alias(alias)) {
            throw errors::conflict_exception(
                cat("Failed to create alias because an alias with the same name and a different routing configuration "
                    "already exists. Alias ARN: '",
                    arn, "'"));
          }
        }
        txn.put(key, encode_alias(alias));
        co_return shapes::CreateStateMachineAliasOutput{.state_machine_alias_arn = arn, .creation_date = alias.created};
      });
}

Task<shapes::DescribeStateMachineAliasOutput> describe_state_machine_alias(
    Service& service, wire::Context&, const shapes::DescribeStateMachineAliasInput& request) {
  const MachineRef ref = parse_alias_arn(request.state_machine_alias_arn);
  const auto snapshot = service.store().snapshot();
  const MachineAlias alias = co_await load_alias(*snapshot, ref, request.state_machine_alias_arn);
  shapes::DescribeStateMachineAliasOutput out{.state_machine_alias_arn = ref.arn(),
                                              .name = alias.name,
                                              .description = alias.description,
                                              .creation_date = alias.created,
                                              .update_date = alias.updated};
  auto& routing = out.routing_configuration.emplace();
  for (const Route& route : alias.routes) {
    routing.push_back(
        {.state_machine_version_arn = cat(ref.unqualified_arn(), ":", route.version), .weight = route.weight});
  }
  co_return out;
}

Task<shapes::UpdateStateMachineAliasOutput> update_state_machine_alias(
    Service& service, wire::Context& context, const shapes::UpdateStateMachineAliasInput& request) {
  const MachineRef ref = parse_alias_arn(request.state_machine_alias_arn);
  if (!request.description && !request.routing_configuration) {
    throw errors::validation_exception("Either description or routingConfiguration must be specified",
                                       {.reason = "MISSING_REQUIRED_PARAMETER"});
  }
  MachineRef machine = ref;
  machine.qualifier.clear();
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    MachineAlias alias = co_await load_alias(txn, ref, request.state_machine_alias_arn);
    if (request.description) alias.description = request.description;
    if (request.routing_configuration) alias.routes = co_await routes_of(txn, machine, *request.routing_configuration);
    alias.updated = now;
    txn.put(alias_key(machine, alias.name), encode_alias(alias));
  });
  co_return shapes::UpdateStateMachineAliasOutput{.update_date = now};
}

Task<shapes::DeleteStateMachineAliasOutput> delete_state_machine_alias(
    Service& service, wire::Context&, const shapes::DeleteStateMachineAliasInput& request) {
  const MachineRef ref = parse_alias_arn(request.state_machine_alias_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await load_alias(txn, ref, request.state_machine_alias_arn);
    txn.erase(alias_key(ref, ref.qualifier));
  });
  co_return shapes::DeleteStateMachineAliasOutput{};
}

Task<shapes::ListStateMachineAliasesOutput> list_state_machine_aliases(
    Service& service, wire::Context&, const shapes::ListStateMachineAliasesInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  const auto snapshot = service.store().snapshot();
  MachineRef machine = ref;
  machine.qualifier.clear();
  (void)co_await load_machine(*snapshot, machine);
  shapes::ListStateMachineAliasesOutput out;
  out.next_token = co_await read_page(
      *snapshot, aliases_range(machine), request.next_token, page_size(request.max_results), store::Direction::forward,
      [&](std::string_view, std::string_view value) {
        const MachineAlias alias = decode_alias(value);
        const bool is_wanted = ref.qualifier.empty() || std::ranges::any_of(alias.routes, [&](const Route& route) {
                                 return std::to_string(route.version) == ref.qualifier;
                               });
        if (!is_wanted) return false;
        out.state_machine_aliases.push_back(
            {.state_machine_alias_arn = cat(machine.arn(), ":", alias.name), .creation_date = alias.created});
        return true;
      });
  co_return out;
}

}  // namespace tidemill::states

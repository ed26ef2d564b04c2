// PublishStateMachineVersion, DeleteStateMachineVersion and ListStateMachineVersions.
#include "services/states/versions.h"

#include <charconv>

#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/listing.h"
#include "services/states/operations.h"

namespace tidemill::states {
namespace {

using base::cat;

constexpr std::string_view kInitialRevision = "INITIAL";

uint64_t number_of(const MachineRef& ref) {
  uint64_t number = 0;
  std::from_chars(ref.qualifier.data(), ref.qualifier.data() + ref.qualifier.size(), number);
  return number;
}

}  // namespace

Task<MachineVersion> publish(store::Transaction& txn, StateMachine& machine, std::optional<std::string> description,
                             base::Time now) {
  const MachineRef ref{machine.account, machine.region, machine.name, ""};
  std::optional<MachineVersion> last;
  co_await txn.scan(versions_range(ref), store::last(1), [&](std::string_view, std::string_view value) {
    last = decode_version(value);
    return false;
  });
  if (last && last->revision == machine.revision) {
    if (!description || description == last->description) co_return *last;
    throw errors::conflict_exception(cat("Version with the same revision and another description exists already: '",
                                         machine.arn(), ":", last->number, "'"));
  }
  const MachineVersion version{++machine.last_version, machine.revision, std::move(description), now};
  txn.put(version_key(ref, version.number), encode_version(version));
  co_return version;
}

Task<shapes::PublishStateMachineVersionOutput> publish_state_machine_version(
    Service& service, wire::Context& context, const shapes::PublishStateMachineVersionInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  if (!ref.qualifier.empty()) throw no_machine(request.state_machine_arn);
  co_return co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<shapes::PublishStateMachineVersionOutput> {
        StateMachine machine = co_await load_machine(txn, ref);
        const bool is_current = !request.revision_id || *request.revision_id == machine.revision ||
                                (!machine.was_updated && *request.revision_id == kInitialRevision);
        if (!is_current) {
          throw errors::conflict_exception(
              cat("Failed to publish the State Machine version for revision ", *request.revision_id,
                  ". The current State Machine revision is ",
                  machine.was_updated ? std::string_view(machine.revision) : kInitialRevision, "."));
        }
        const MachineVersion version = co_await publish(txn, machine, request.description, context.now());
        txn.put(machine_key(ref), encode_machine(machine));
        co_return shapes::PublishStateMachineVersionOutput{
            .creation_date = version.created, .state_machine_version_arn = cat(machine.arn(), ":", version.number)};
      });
}

Task<shapes::DeleteStateMachineVersionOutput> delete_state_machine_version(
    Service& service, wire::Context&, const shapes::DeleteStateMachineVersionInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_version_arn);
  if (!ref.is_version()) throw invalid_arn(request.state_machine_version_arn);
  const uint64_t number = number_of(ref);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    std::string users;
    co_await txn.scan(aliases_range(ref), store::Direction::forward, [&](std::string_view, std::string_view value) {
      const MachineAlias alias = decode_alias(value);
      for (const Route& route : alias.routes) {
        if (route.version == number) users += cat(users.empty() ? "" : ", ", alias.name);
      }
      return true;
    });
    if (!users.empty()) {
      throw errors::conflict_exception(cat("Version to be deleted must not be referenced by an alias. Current list of "
                                           "aliases referencing this version: [",
                                           users, "]"));
    }
    txn.erase(version_key(ref, number));
  });
  co_return shapes::DeleteStateMachineVersionOutput{};
}

Task<shapes::ListStateMachineVersionsOutput> list_state_machine_versions(
    Service& service, wire::Context&, const shapes::ListStateMachineVersionsInput& request) {
  const MachineRef ref = parse_machine_arn(request.state_machine_arn);
  const auto snapshot = service.store().snapshot();
  shapes::ListStateMachineVersionsOutput out;
  out.next_token = co_await read_page(
      *snapshot, versions_range(ref), request.next_token, page_size(request.max_results), store::Direction::reverse,
      [&](std::string_view, std::string_view value) {
        const MachineVersion version = decode_version(value);
        out.state_machine_versions.push_back(
            {.state_machine_version_arn = cat(ref.unqualified_arn(), ":", version.number),
             .creation_date = version.created});
        return true;
      });
  co_return out;
}

}  // namespace tidemill::states

// CreateArchive, DescribeArchive, ListArchives, UpdateArchive and DeleteArchive.
#include "base/text.h"
#include "base/uuid.h"
#include "lang/patterns/pattern.h"
#include "services/events/archive.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

constexpr const char* kEnabled = "ENABLED";

void check_pattern(const std::optional<std::string>& pattern) {
  if (!pattern || pattern->empty()) return;
  try {
    (void)lang::patterns::Pattern::parse(*pattern, lang::patterns::event_bridge());
  } catch (const lang::patterns::PatternError& error) {
    throw invalid_pattern(error.what());
  }
}

// Buses are looked for where their archives are.
BusAddress source_bus(const wire::Context& context, const std::string& arn) {
  auto bus = parse_bus_arn(arn);
  if (!bus) throw invalid_parameter("EventSourceArn", "Provided Arn is not in correct format.");
  if (bus->account != context.account || bus->region != context.region) throw bus_does_not_exist(*bus);
  return *std::move(bus);
}

ArchiveAddress archive_of(const wire::Context& context, const std::string& name) {
  return {context.account, context.region, name};
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Task<shapes::Archive> describe(store::Snapshot& reader, Archive archive) {
  const ArchiveCounts counts = co_await count_events(reader, archive.id);
  co_return shapes::Archive{.archive_name = archive.address.name,
                            .event_source_arn = archive.bus.arn(),
                            .state = kEnabled,
                            .state_reason = {},
                            .retention_days = static_cast<int32_t>(archive.retention_days),
                            .size_bytes = counts.bytes,
                            .event_count = counts.events,
                            .creation_time = archive.created};
}

}  // namespace

Task<shapes::CreateArchiveOutput> create_archive(Service& service, wire::Context& context,
                                                 const shapes::CreateArchiveInput& request) {
  check_pattern(request.event_pattern);
  const Archive archive{.address = archive_of(context, request.archive_name),
                        .id = base::new_uuid(),
                        .bus = source_bus(context, request.event_source_arn),
                        .description = request.description.value_or(""),
                        .event_pattern = request.event_pattern.value_or(""),
                        .retention_days = request.retention_days.value_or(0),
                        .created = context.now()};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await load_bus(txn, archive.bus);
    if (co_await find_archive(txn, archive.address)) {
      throw errors::resource_already_exists_exception(base::cat("Archive ", archive.address.name, " already exists."));
    }
    co_await save_archive(txn, archive);
    co_await plan_trim(txn, archive, context.now());
  });
  co_return shapes::CreateArchiveOutput{
      .archive_arn = archive.address.arn(), .state = kEnabled, .state_reason = {}, .creation_time = archive.created};
}

Task<shapes::DescribeArchiveOutput> describe_archive(Service& service, wire::Context& context,
                                                     const shapes::DescribeArchiveInput& request) {
  const auto snapshot = service.store().snapshot();
  const Archive archive = co_await load_archive(*snapshot, archive_of(context, request.archive_name));
  const shapes::Archive shown = co_await describe(*snapshot, archive);
  co_return shapes::DescribeArchiveOutput{.archive_arn = archive.address.arn(),
                                          .archive_name = shown.archive_name,
                                          .event_source_arn = shown.event_source_arn,
                                          .description = text_or_none(archive.description),
                                          .event_pattern = text_or_none(archive.event_pattern),
                                          .state = shown.state,
                                          .state_reason = {},
                                          .retention_days = shown.retention_days,
                                          .size_bytes = shown.size_bytes,
                                          .event_count = shown.event_count,
                                          .creation_time = shown.creation_time};
}

Task<shapes::ListArchivesOutput> list_archives(Service& service, wire::Context& context,
                                               const shapes::ListArchivesInput& request) {
  if ((request.name_prefix ? 1 : 0) + (request.event_source_arn ? 1 : 0) + (request.state ? 1 : 0) > 1) {
    throw invalid("At most one filter is allowed for ListArchives. Use either : State, EventSourceArn, or NamePrefix.");
  }
  const auto snapshot = service.store().snapshot();
  std::vector<Archive> found;
  shapes::ListArchivesOutput out;
  out.next_token = co_await read_page(
      *snapshot, archives_range(context.account, context.region, request.name_prefix.value_or("")),
      {request.next_token, request.limit}, [&](std::string_view key, std::string_view value) {
        Archive archive = decode_archive(key, value);
        const bool is_wanted = request.state.value_or(kEnabled) == kEnabled &&
                               (!request.event_source_arn || archive.bus.arn() == *request.event_source_arn);
        if (is_wanted) found.push_back(std::move(archive));
        return is_wanted;
      });
  out.archives.emplace();
  for (Archive& archive : found) out.archives->push_back(co_await describe(*snapshot, std::move(archive)));
  co_return out;
}

Task<shapes::UpdateArchiveOutput> update_archive(Service& service, wire::Context& context,
                                                 const shapes::UpdateArchiveInput& request) {
  if (!request.event_pattern && !request.retention_days && !request.description) {
    throw invalid("At least one of EventPattern, RetentionDays or Description must be provided.");
  }
  check_pattern(request.event_pattern);
  const ArchiveAddress address = archive_of(context, request.archive_name);
  shapes::UpdateArchiveOutput out{
      .archive_arn = address.arn(), .state = kEnabled, .state_reason = {}, .creation_time = {}};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Archive archive = co_await load_archive(txn, address);
    if (request.event_pattern) archive.event_pattern = *request.event_pattern;
    if (request.retention_days) archive.retention_days = *request.retention_days;
    if (request.description) archive.description = *request.description;
    out.creation_time = archive.created;
    co_await save_archive(txn, archive);
    co_await plan_trim(txn, archive, context.now());
  });
  co_return out;
}

Task<shapes::DeleteArchiveOutput> delete_archive(Service& service, wire::Context& context,
                                                 const shapes::DeleteArchiveInput& request) {
  const ArchiveAddress address = archive_of(context, request.archive_name);
  co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<void> { co_await erase_archive(txn, co_await load_archive(txn, address)); });
  co_return shapes::DeleteArchiveOutput{};
}

}  // namespace tidemill::events

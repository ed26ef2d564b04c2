// Puts up to ten events on buses. Each entry has an answer of its own; those that are taken are taken together, in one
// commit with all deliveries that come of them. What is put on a bus that is not there is taken and reaches nobody, as
// on AWS.
#include "base/text.h"
#include "base/uuid.h"
#include "services/events/errors.h"
#include "services/events/event_metrics.h"
#include "services/events/operations.h"
#include "services/events/routing.h"
#include "wire/faults.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr size_t kBytesMax = 256 << 10;  // of all entries
constexpr size_t kTimeBytes = 14;        // that a time counts
constexpr size_t kBytesPerStep = 256;    // of a detail are read and written anew in about a microsecond (base::slice_is_over)
constexpr std::string_view kPlatformSources = "aws.";

size_t size_of(const shapes::PutEventsRequestEntry& entry) {
  size_t size = entry.time ? kTimeBytes : 0;
  for (const auto* text : {&entry.source, &entry.detail_type, &entry.detail}) size += *text ? (*text)->size() : 0;
  if (!entry.resources) return size;
  for (const std::string& resource : *entry.resources) size += resource.size();
  return size;
}

void check_size(const shapes::PutEventsInput& request) {
  size_t size = 0;
  for (const auto& entry : request.entries) size += size_of(entry);
  if (size >= kBytesMax) throw invalid("Total size of the entries in the request is over the limit.");
}

shapes::PutEventsResultEntry failure(std::string code, std::string message) {
  return {.event_id = {}, .error_code = std::move(code), .error_message = std::move(message)};
}

// Why an entry is not taken; nothing: it is.
std::optional<shapes::PutEventsResultEntry> find_fault(const wire::Context& context, wire::EntryFaults& faults,
                                                       const shapes::PutEventsRequestEntry& entry,
                                                       const std::optional<json::Value>& detail) {
  const std::pair<std::string_view, const std::optional<std::string>*> required[] = {
      {"Source", &entry.source}, {"DetailType", &entry.detail_type}, {"Detail", &entry.detail}};
  for (const auto& [name, value] : required) {
    if (*value && !(*value)->empty()) continue;
    return failure("InvalidArgument",
                   cat("Parameter ", name, " is not valid. Reason: ", name, " is a required argument."));
  }
  const bool is_platform = context.principal.kind() == wire::Principal::Kind::platform;
  if (entry.source->starts_with(kPlatformSources) && !is_platform) {
    return failure("NotAuthorizedForSourceException", "Not authorized for the source.");
  }
  if (!detail || !detail->is_object()) return failure("MalformedDetail", "Detail is malformed.");
  if (auto struck = faults.next("InternalFailure")) return failure(std::move(struck->code), std::move(struck->message));
  return std::nullopt;
}

Arrival arrival_of(const wire::Context& context, const shapes::PutEventsRequestEntry& entry, json::Value detail,
                   std::string id) {
  Event event{.id = std::move(id),
              .source = *entry.source,
              .detail_type = *entry.detail_type,
              .account = context.account,
              .region = context.region,
              .time = entry.time.value_or(context.now()),
              .resources = entry.resources.value_or(std::vector<std::string>()),
              .detail = std::move(detail)};
  Arrival arrival(bus_of(context, entry.event_bus_name), document_of(std::move(event)), context.now());
  arrival.trace_header = entry.trace_header.value_or(context.trace_header);
  return arrival;
}

// Usually in one transaction. Where that is too much, whoever puts them again after a crash in between brings some
// twice.
Task<void> route_all(Service& service, const std::vector<Arrival>& arrivals, base::Time now) {
  const std::set<std::string> all;
  Round round;
  do {
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      round.begin();
      for (const Arrival& arrival : arrivals) co_await route(txn, service, arrival, all, round, now);
    });
  } while (round.goes_on());
}

}  // namespace

Task<shapes::PutEventsOutput> put_events(Service& service, wire::Context& context,
                                         const shapes::PutEventsInput& request) {
  check_size(request);
  shapes::PutEventsOutput out;
  out.failed_entry_count = 0;
  out.entries.emplace();
  std::vector<Arrival> arrivals;
  wire::EntryFaults faults(context, "events", "PutEvents");
  for (const auto& entry : request.entries) {
    std::optional<json::Value> detail;
    if (auto parsed = json::parse(entry.detail.value_or(""), kDetailDepthMax)) detail = *std::move(parsed);
    if (auto fault = find_fault(context, faults, entry, detail)) {
      out.entries->push_back(*std::move(fault));
      ++*out.failed_entry_count;
      continue;
    }
    const size_t bytes = entry.detail->size();
    std::string id = base::new_uuid();
    out.entries->push_back({.event_id = id, .error_code = {}, .error_message = {}});
    arrivals.push_back(arrival_of(context, entry, *std::move(detail), std::move(id)));
    if (base::slice_is_over(1 + bytes / kBytesPerStep)) co_await base::give_way();
  }
  if (!arrivals.empty()) co_await route_all(service, arrivals, context.now());
  measure(context, kEntries, static_cast<double>(request.entries.size()));
  measure(context, kFailedEntries, static_cast<double>(*out.failed_entry_count));
  co_return out;
}

}  // namespace tidemill::events

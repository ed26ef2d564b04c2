// Bundles of type batch, whose entries are carried out one by one, and of type transaction, which all succeed or none
// does.
#include "base/executor.h"
#include "base/text.h"
#include "services/healthlake/bundle.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/resource_body.h"
#include "services/healthlake/search.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

// What an entry takes, in microseconds or so (base::slice_is_over).
constexpr size_t kStepsOfAnEntry = 16;

// What became of an entry.
struct Outcome {
  std::string status;  // "201 Created"
  std::string location;
  std::string etag;
  std::optional<base::Time> modified;
  std::string resource;  // JSON, of reads and searches
  std::string issue;     // an OperationOutcome, of what failed
};

std::string status_text(int status) {
  switch (status) {
    case 400:
      return "400 Bad Request";
    case 404:
      return "404 Not Found";
    case 409:
      return "409 Conflict";
    case 410:
      return "410 Gone";
    case 412:
      return "412 Precondition Failed";
    default:
      return std::to_string(status);
  }
}

Outcome outcome_of(const wire::Error& error) {
  Outcome outcome{.status = status_text(error.http_status)};
  json::Writer writer(outcome.issue);
  const auto text = [&](std::string_view name, std::string_view value) { writer.key(name), writer.string(value); };
  writer.begin_object();
  text("resourceType", "OperationOutcome");
  writer.key("issue");
  writer.begin_array();
  writer.begin_object();
  text("severity", "error");
  text("code", error.code);
  text("diagnostics", error.message);
  writer.end_object();
  writer.end_array();
  writer.end_object();
  return outcome;
}

Outcome outcome_of(const Written& written, bool deleted) {
  Outcome outcome{.status = deleted ? "204 No Content" : written.created ? "201 Created" : "200 OK"};
  if (written.version == 0) return outcome;
  outcome.etag = tag_of_version(written.version);
  outcome.modified = written.updated;
  if (!deleted) outcome.location = cat(written.type, "/", written.id, "/_history/", written.version);
  return outcome;
}

Task<Outcome> read(store::Snapshot& reader, const Datastore& datastore, const BundleEntry& entry) {
  const std::string name = cat(entry.type, "/", entry.id);
  const auto bytes = co_await reader.get(DatastoreKeys(datastore.address.id).resource(entry.type, entry.id));
  if (!bytes) throw fhir::not_found(name);
  const ResourceRecord record = decode_resource(*bytes);
  if (record.deleted) throw fhir::deleted(name);
  co_return Outcome{.status = "200 OK",
                    .etag = tag_of_version(record.version),
                    .modified = record.updated,
                    .resource = std::string(record.json)};
}

// All but searches.
Task<Outcome> carry_out(store::Transaction& txn, const Datastore& datastore, const BundleEntry& entry, base::Time now) {
  const WriteTarget target{entry.type, entry.id, entry.expected};
  switch (entry.action) {
    case BundleAction::create:
    case BundleAction::update:
      co_return outcome_of(co_await put_resource(txn, datastore, target, entry.resource, now), false);
    case BundleAction::remove:
      co_return outcome_of(co_await delete_resource(txn, datastore, target, now), true);
    case BundleAction::read:
    case BundleAction::search:
      break;
  }
  co_return co_await read(txn, datastore, entry);
}

class BundleRun {
 public:
  BundleRun(Service& service, wire::Context& context, std::string datastore_id)
      : service_(service), context_(context), datastore_id_(std::move(datastore_id)) {}

  // In order; throws what the first of them that fails is refused with.
  Task<std::vector<Outcome>> all_or_none(const std::vector<BundleEntry>& entries) {
    co_return co_await service_.store().transact([&](store::Transaction& txn) -> Task<std::vector<Outcome>> {
      const Datastore datastore = co_await active_datastore(txn, context_, datastore_id_);
      std::vector<Outcome> outcomes;
      size_t bytes = 0;
      for (const BundleEntry& entry : entries) {
        outcomes.push_back(co_await carry_out(txn, datastore, entry, context_.now()));
        bytes += outcomes.back().resource.size();
        if (bytes > kSearchPageBytesMax) throw too_much();
        if (base::slice_is_over(kStepsOfAnEntry)) co_await base::give_way();
      }
      co_return outcomes;
    });
  }

  Task<std::vector<Outcome>> one_by_one(const std::vector<BundleEntry>& entries) {
    (void)co_await active_datastore(*service_.store().snapshot(), context_, datastore_id_);
    std::vector<Outcome> outcomes;
    size_t bytes = 0;
    for (const BundleEntry& entry : entries) {
      Outcome outcome = co_await try_one(entry);
      // What was written stays so: only what shows resources is refused for the answer's size.
      if (bytes + outcome.resource.size() > kSearchPageBytesMax) outcome = outcome_of(too_much());
      bytes += outcome.resource.size();
      outcomes.push_back(std::move(outcome));
      if (base::slice_is_over(kStepsOfAnEntry)) co_await base::give_way();
    }
    co_return outcomes;
  }

 private:
  static wire::Error too_much() { return {"too-costly", 400, "The resources of the answer are more than 4 MiB"}; }

  Task<Outcome> try_one(const BundleEntry& entry) {
    if (entry.refusal) co_return outcome_of(*entry.refusal);
    std::optional<wire::Error> refusal;
    try {
      co_return co_await do_one(entry);
    } catch (const wire::Error& error) {
      refusal = error;
    }
    co_return outcome_of(*refusal);
  }

  Task<Outcome> do_one(const BundleEntry& entry) {
    if (entry.action == BundleAction::search) {
      const auto snapshot = service_.store().snapshot();
      const Datastore datastore = co_await active_datastore(*snapshot, context_, datastore_id_);
      Outcome outcome{.status = "200 OK"};
      outcome.resource = co_await search(*snapshot, datastore, base_url(context_, datastore_id_), entry.type,
                                         entry.parameters, lang::fhir::Handling::strict);
      co_return outcome;
    }
    co_return co_await service_.store().transact([&](store::Transaction& txn) -> Task<Outcome> {
      const Datastore datastore = co_await active_datastore(txn, context_, datastore_id_);
      co_return co_await carry_out(txn, datastore, entry, context_.now());
    });
  }

  Service& service_;
  wire::Context& context_;
  const std::string datastore_id_;
};

void write_outcome(json::Writer& writer, const Outcome& outcome) {
  const auto text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) writer.key(name), writer.string(value);
  };
  writer.begin_object();
  if (!outcome.resource.empty()) writer.key("resource"), writer.raw(outcome.resource);
  writer.key("response");
  writer.begin_object();
  text("status", outcome.status);
  text("location", outcome.location);
  text("etag", outcome.etag);
  if (outcome.modified) text("lastModified", lang::fhir::write_instant(*outcome.modified));
  if (!outcome.issue.empty()) writer.key("outcome"), writer.raw(outcome.issue);
  writer.end_object();
  writer.end_object();
}

std::string write_bundle(bool is_transaction, const std::vector<Outcome>& outcomes) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("resourceType"), writer.string("Bundle");
  writer.key("type"), writer.string(is_transaction ? "transaction-response" : "batch-response");
  if (!outcomes.empty()) {
    writer.key("entry");
    writer.begin_array();
    for (const Outcome& outcome : outcomes) write_outcome(writer, outcome);
    writer.end_array();
  }
  writer.end_object();
  return out;
}

}  // namespace

Task<rest::FhirAnswer> fhir_bundle(Service& service, wire::Context& context, const rest::FhirBundleInput& request) {
  const Bundle bundle = read_bundle(parse_body(request.body, request.content_type));
  BundleRun run(service, context, request.datastore_id);
  const auto outcomes =
      bundle.is_transaction ? co_await run.all_or_none(bundle.entries) : co_await run.one_by_one(bundle.entries);
  rest::FhirAnswer out;
  out.body = write_bundle(bundle.is_transaction, outcomes);
  co_return out;
}

}  // namespace tidemill::healthlake

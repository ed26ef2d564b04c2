// Single resources: create, read, vread, update and delete.
#include <charconv>

#include "base/text.h"
#include "base/uuid.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/resource_body.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

Task<Written> put_one(Service& service, wire::Context& context, std::string_view datastore_id,
                      const WriteTarget& target, const json::Value& resource) {
  return service.store().transact(
      [&context, datastore_id, &target, &resource](store::Transaction& txn) -> Task<Written> {
        const Datastore datastore = co_await active_datastore(txn, context, datastore_id);
        co_return co_await put_resource(txn, datastore, target, resource, context.now());
      });
}

// Nothing but _format=json.
void check_read_parameters(const std::optional<lang::fhir::Parameters>& parameters) {
  if (!parameters) return;
  for (const auto& [name, values] : *parameters) {
    if (name != "_format") throw fhir::not_supported(cat("the parameter ", name, " of a read"));
    for (const std::string& value : values) {
      if (value.find("json") == std::string::npos) throw fhir::not_supported(cat("_format=", value));
    }
  }
}

}  // namespace

Task<rest::FhirAnswer> fhir_create(Service& service, wire::Context& context, const rest::FhirCreateInput& request) {
  check_type(request.resource_type);
  const json::Value resource = parse_body(request.body, request.content_type);
  check_resource(resource, request.resource_type);
  const WriteTarget target{request.resource_type, base::new_uuid()};
  const Written written = co_await put_one(service, context, request.datastore_id, target, resource);
  co_return answer_of(context, request.datastore_id, written, request.prefer);
}

Task<rest::FhirAnswer> fhir_update(Service& service, wire::Context& context, const rest::FhirUpdateInput& request) {
  check_type(request.resource_type);
  check_id(request.resource_id);
  const json::Value resource = parse_body(request.body, request.content_type);
  check_resource(resource, request.resource_type);
  if (id_of(resource) != request.resource_id) {
    throw fhir::invalid(cat("The id of the resource must be ", request.resource_id, ", as in the URL"));
  }
  const WriteTarget target{request.resource_type, request.resource_id, version_of_tag(request.if_match)};
  const Written written = co_await put_one(service, context, request.datastore_id, target, resource);
  co_return answer_of(context, request.datastore_id, written, request.prefer);
}

Task<rest::FhirDeleteOutput> fhir_delete(Service& service, wire::Context& context,
                                         const rest::FhirDeleteInput& request) {
  check_type(request.resource_type);
  check_id(request.resource_id);
  const WriteTarget target{request.resource_type, request.resource_id, version_of_tag(request.if_match)};
  const Written written = co_await service.store().transact([&](store::Transaction& txn) -> Task<Written> {
    const Datastore datastore = co_await active_datastore(txn, context, request.datastore_id);
    co_return co_await delete_resource(txn, datastore, target, context.now());
  });
  rest::FhirDeleteOutput out;
  if (written.version != 0) out.e_tag = tag_of_version(written.version);
  co_return out;
}

Task<rest::FhirAnswer> fhir_read(Service& service, wire::Context& context, const rest::FhirReadInput& request) {
  constexpr int kNotModified = 304;
  check_type(request.resource_type);
  check_id(request.resource_id);
  check_read_parameters(request.parameters);
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await active_datastore(*snapshot, context, request.datastore_id);
  const std::string name = cat(request.resource_type, "/", request.resource_id);
  const auto bytes =
      co_await snapshot->get(DatastoreKeys(datastore.address.id).resource(request.resource_type, request.resource_id));
  if (!bytes) throw fhir::not_found(name);
  rest::FhirAnswer answer = answer_of(decode_resource(*bytes), name);
  if (request.if_none_match && request.if_none_match == answer.e_tag) {
    throw wire::Error("informational", kNotModified, "not modified");
  }
  co_return answer;
}

Task<rest::FhirAnswer> fhir_version_read(Service& service, wire::Context& context,
                                         const rest::FhirVersionReadInput& request) {
  check_type(request.resource_type);
  check_id(request.resource_id);
  const std::string name = cat(request.resource_type, "/", request.resource_id, "/_history/", request.version_id);
  uint64_t version = 0;
  const std::string& text = request.version_id;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) throw fhir::not_found(name);
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await active_datastore(*snapshot, context, request.datastore_id);
  const DatastoreKeys keys(datastore.address.id);
  auto bytes = co_await snapshot->get(keys.resource(request.resource_type, request.resource_id));
  if (bytes && decode_resource(*bytes).version != version) {
    bytes = co_await snapshot->get(keys.version(request.resource_type, request.resource_id, version));
  }
  if (!bytes) throw fhir::not_found(name);
  co_return answer_of(decode_resource(*bytes), name);
}

}  // namespace tidemill::healthlake

// CreateFHIRDatastore, DescribeFHIRDatastore, ListFHIRDatastores and DeleteFHIRDatastore.
#include "base/text.h"
#include "services/healthlake/bus_events.h"
#include "services/healthlake/datastore_run.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/page.h"
#include "services/healthlake/tags.h"
#include "wire/unsupported.h"

namespace tidemill::healthlake {

namespace Status = shapes::DatastoreStatus;

namespace {

shapes::DatastoreAnswer answer_of(const wire::Context& context, const Datastore& datastore) {
  return {.datastore_id = datastore.address.id,
          .datastore_arn = datastore.address.arn(),
          .datastore_status = datastore.status,
          .datastore_endpoint = base_url(context, datastore.address.id) + "/"};
}

shapes::DatastoreProperties properties_of(const wire::Context& context, const Datastore& datastore) {
  shapes::DatastoreProperties out{.datastore_id = datastore.address.id,
                                  .datastore_arn = datastore.address.arn(),
                                  .datastore_status = datastore.status,
                                  .created_at = datastore.created,
                                  .datastore_type_version = std::string(shapes::FHIRVersion::kR4),
                                  .datastore_endpoint = base_url(context, datastore.address.id) + "/"};
  if (!datastore.name.empty()) out.datastore_name = datastore.name;
  if (datastore.shows_encryption) {
    out.sse_configuration.emplace().kms_encryption_config.cmk_type = shapes::CmkType::kAwsOwnedKmsKey;
  }
  return out;
}

bool is_wanted(const std::optional<shapes::DatastoreFilter>& filter, const Datastore& datastore) {
  if (!filter) return true;
  if (filter->datastore_name && *filter->datastore_name != datastore.name) return false;
  if (filter->datastore_status && *filter->datastore_status != datastore.status) return false;
  if (filter->created_before && datastore.created >= *filter->created_before) return false;
  return !filter->created_after || datastore.created > *filter->created_after;
}

Datastore new_datastore(const wire::Context& context, const shapes::CreateFHIRDatastoreInput& request) {
  if (request.sse_configuration &&
      request.sse_configuration->kms_encryption_config.cmk_type != shapes::CmkType::kAwsOwnedKmsKey) {
    throw wire::unsupported_parameter(shapes::ops::CreateFHIRDatastore::info, "SseConfiguration with a customer's key");
  }
  DatastoreAddress address{context.account, context.region, new_id()};
  std::string endpoint = base_url(context, address.id) + "/";
  return {.address = std::move(address),
          .name = request.datastore_name.value_or(""),
          .status = std::string(Status::kCreating),
          .created = std::chrono::floor<std::chrono::milliseconds>(context.now()),
          .tags = with_tags({}, request.tags.value_or(std::vector<shapes::Tag>{})),
          .token = request.client_token.value_or(""),
          .shows_encryption = request.sse_configuration.has_value(),
          .endpoint = std::move(endpoint)};
}

}  // namespace

Task<shapes::DatastoreAnswer> create_datastore(Service& service, wire::Context& context,
                                               const shapes::CreateFHIRDatastoreInput& request) {
  const Datastore made = new_datastore(context, request);
  const Datastore datastore = co_await service.store().transact([&](store::Transaction& txn) -> Task<Datastore> {
    if (!made.token.empty()) {
      const std::string token_key = datastore_token_key(context.account, context.region, made.token);
      if (const auto id = co_await txn.get(token_key)) {
        co_return co_await load_datastore(txn, {context.account, context.region, *id});
      }
      txn.put(token_key, made.address.id);
    }
    save_datastore(txn, made);
    co_await tell_bus(txn, made, context.now());
    co_await change_datastore_at(txn, made.address, context.now());
    co_return made;
  });
  co_return answer_of(context, datastore);
}

Task<shapes::DescribeFHIRDatastoreOutput> describe_datastore(Service& service, wire::Context& context,
                                                             const shapes::DescribeFHIRDatastoreInput& request) {
  const auto snapshot = service.store().snapshot();
  const Datastore datastore =
      co_await load_datastore(*snapshot, {context.account, context.region, request.datastore_id});
  co_return shapes::DescribeFHIRDatastoreOutput{.datastore_properties = properties_of(context, datastore)};
}

Task<shapes::ListFHIRDatastoresOutput> list_datastores(Service& service, wire::Context& context,
                                                       const shapes::ListFHIRDatastoresInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListFHIRDatastoresOutput out;
  const auto take = [&](std::string_view key, std::string_view value) {
    auto address = datastore_of_key(key);
    if (!address) return false;
    const Datastore datastore = decode_datastore(*std::move(address), value);
    if (!is_wanted(request.filter, datastore)) return false;
    out.datastore_properties_list.push_back(properties_of(context, datastore));
    return true;
  };
  out.next_token = co_await read_page(*snapshot, datastores_range(context.account, context.region), request.next_token,
                                      request.max_results.value_or(kListMax), take);
  co_return out;
}

Task<shapes::DatastoreAnswer> delete_datastore(Service& service, wire::Context& context,
                                               const shapes::DeleteFHIRDatastoreInput& request) {
  const Datastore deleted = co_await service.store().transact([&](store::Transaction& txn) -> Task<Datastore> {
    Datastore datastore = co_await load_datastore(txn, {context.account, context.region, request.datastore_id});
    if (datastore.status == Status::kDeleting || datastore.status == Status::kDeleted) co_return datastore;
    if (datastore.status != Status::kActive) {
      throw errors::conflict_exception(base::cat("Data store ", request.datastore_id, " is ", datastore.status, "."));
    }
    if (!datastore.exporting.empty()) {
      throw errors::conflict_exception(base::cat("Data store ", request.datastore_id, " has an export job that runs."));
    }
    datastore.status = Status::kDeleting;
    save_datastore(txn, datastore);
    co_await tell_bus(txn, datastore, context.now());
    co_await change_datastore_at(txn, datastore.address, context.now());
    co_return datastore;
  });
  co_return answer_of(context, deleted);
}

}  // namespace tidemill::healthlake

// AWS::HealthLake::FHIRDatastore.
#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr std::chrono::hours kDatastoreSettlesMax{6};

constexpr Property kDatastoreKmsEncryptionConfig[] = {
    {.name = "CmkType", .required = true},
    {.name = "KmsKeyId"},
};

constexpr Property kDatastoreSseConfiguration[] = {
    {.name = "KmsEncryptionConfig", .kind = Kind::object, .required = true, .members = kDatastoreKmsEncryptionConfig},
};

constexpr Property kDatastoreProperties[] = {
    {.name = "DatastoreName", .update = Update::replaces},
    {.name = "DatastoreTypeVersion", .required = true, .update = Update::replaces},
    {.name = "IdentityProviderConfiguration", .kind = Kind::json, .update = Update::replaces},
    {.name = "PreloadDataConfig", .kind = Kind::json, .update = Update::replaces},
    {.name = "SseConfiguration",
     .kind = Kind::object,
     .update = Update::replaces,
     .members = kDatastoreSseConfiguration},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kDatastoreTags = {
    .service = "healthlake", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceARN"};

// Empty: there is none.
Task<json::Object> found_datastore(Step& step, std::string id) {
  const json::Value answer = co_await step.call_or_null(
      "healthlake", "DescribeFHIRDatastore", json::Object{{"DatastoreId", id}}, {"ResourceNotFoundException"});
  co_return answer.is_object() ? object_of(answer.object(), "DatastoreProperties") : json::Object();
}

Task<bool> datastore_is_active(Step& step, std::string id) {
  const json::Object found = co_await found_datastore(step, id);
  const std::string status = text_of(found, "DatastoreStatus");
  if (status == "CREATE_FAILED") throw InvalidRequest(cat("Datastore ", id, " could not be created."));
  co_return status == "ACTIVE";
}

Task<bool> datastore_is_gone(Step& step, std::string id) {
  const json::Object found = co_await found_datastore(step, id);
  co_return found.empty() || text_of(found, "DatastoreStatus") == "DELETED";
}

Task<std::string> create_datastore(Step& step, const json::Object& properties) {
  json::Object request = properties;
  request.set("ClientToken", step.client_token());  // the same token is answered with the same data store
  request.set("Tags", tag_list(step, properties));
  const json::Value made = co_await step.call("healthlake", "CreateFHIRDatastore", std::move(request));
  const std::string id = answered_text(made, "DatastoreId");
  co_await step.made(id);
  if (!co_await step.wait_until([&] { return datastore_is_active(step, id); }, kDatastoreSettlesMax)) {
    throw InvalidRequest(cat("Datastore ", id, " did not become ACTIVE in time."));
  }
  co_return id;
}

Task<std::string> update_datastore(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  const json::Object found = co_await found_datastore(step, id);
  co_await change_tags(step, kDatastoreTags, text_of(found, "DatastoreArn"), before, after);
  co_return id;
}

Task<void> remove_datastore(Step& step, std::string id, const json::Object&) {
  co_await step.call_or_null("healthlake", "DeleteFHIRDatastore", json::Object{{"DatastoreId", id}},
                             {"ResourceNotFoundException", "ConflictException"});
  if (!co_await step.wait_until([&] { return datastore_is_gone(step, id); }, kDatastoreSettlesMax)) {
    throw InvalidRequest(cat("Datastore ", id, " was not deleted in time."));
  }
}

Task<json::Object> describe_datastore(Step& step, std::string id, const json::Object&) {
  const json::Object found = co_await found_datastore(step, id);
  co_return take(found, {"DatastoreArn", "DatastoreEndpoint", "DatastoreId", "DatastoreStatus", "CreatedAt"});
}

}  // namespace

const ResourceType types::kHealthLakeFhirDatastore = {
    .name = "AWS::HealthLake::FHIRDatastore",
    .properties = kDatastoreProperties,
    .create = create_datastore,
    .update = update_datastore,
    .remove = remove_datastore,
    .attributes = describe_datastore,
};

}  // namespace tidemill::cloudformation

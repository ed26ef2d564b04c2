// The Cloud Control API over resources: GetResource, ListResources, and those that begin requests.
#include "services/cloudformation/resource_operations.h"

#include <algorithm>
#include <expected>

#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing_requests.h"
#include "services/cloudformation/identification.h"
#include "services/cloudformation/json_patch.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/resource_request.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = control::errors;

namespace {

constexpr size_t kResourcesPageMax = 100;

// Of a type that can be read, and so can all else. Throws what AWS does for types that it does not have, or not so.
const ResourceType& require_type(std::string_view name, std::string_view action) {
  const ResourceType* type = find_type(name);
  if (!type || name.starts_with("Custom::")) {
    throw errors::type_not_found_exception(cat("The type '", name, "' cannot be found."));
  }
  const bool can = type->read && (action != "LIST" || type->list) && (action != "UPDATE" || type->update);
  if (!can) {
    throw errors::unsupported_action_exception(cat("Resource type ", name, " does not support ", action, " action"));
  }
  return *type;
}

[[noreturn]] void throw_failure(const HandlerFailure& failure, std::string_view type, std::string_view identifier) {
  if (failure.code == "NotFound") {
    throw errors::resource_not_found_exception(
        cat("Resource of type '", type, "' with identifier '", identifier, "' was not found."));
  }
  if (failure.code == "Throttling") throw errors::throttling_exception(failure.message);
  if (failure.code == "InvalidRequest") throw errors::invalid_request_exception(failure.message);
  throw errors::general_service_exception(failure.message);
}

// Its properties, as it is, or why they cannot be told.
using Read = std::expected<json::Object, HandlerFailure>;
Task<Read> try_to_read(Step& step, const ResourceType& type, std::string identifier, bool with_attributes) {
  try {
    const std::string id = id_of(type, step, identifier);
    json::Object model = co_await type.read(step, id);
    const Identification* named = find_identification(type.name);
    if (named && named->property == type.name_property && text_of(model, named->property) != id) {
      // Another spelling, which the service takes: a version behind a name, an ARN.
      co_return std::unexpected(HandlerFailure{"NotFound", cat("There is none with the identifier ", identifier)});
    }
    if (!with_attributes || !type.attributes) co_return model;
    for (auto& [name, value] : co_await type.attributes(step, id, model)) {
      if (name.find('.') == std::string::npos && !model.find(name)) model.set(name, value);
    }
    co_return model;
  } catch (...) {
    co_return std::unexpected(handler_failure(std::current_exception(), type.name));
  }
}

// Throws ResourceNotFoundException.
Task<json::Object> read_resource(Step& step, const ResourceType& type, std::string identifier,
                                 bool with_attributes = false) {
  Read read = co_await try_to_read(step, type, identifier, with_attributes);
  if (!read) throw_failure(read.error(), type.name, identifier);
  co_return *std::move(read);
}

json::Object checked(const ResourceType& type, const json::Object& properties, Source source) {
  try {
    return checked_properties(type, "", properties, source);
  } catch (const PropertiesRefused& error) {
    throw errors::invalid_request_exception(error.what());
  }
}

json::Object parse_state(const std::string& text) {
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) throw errors::invalid_request_exception("DesiredState is no JSON object.");
  return parsed->object();
}

ResourceRequest request_for(const wire::Context& context, std::string_view operation, std::string_view type,
                            const std::optional<std::string>& client_token, std::string asked) {
  ResourceRequest request;
  request.place = {context.account, context.region};
  request.token = base::new_uuid();
  request.client_token = client_token.value_or("");
  request.type = type;
  request.operation = operation;
  request.status = "PENDING";
  request.created = request.changed = context.now();
  request.asked = std::move(asked);
  request.caller = engine::caller_of(context.principal);
  request.endpoint = context.endpoint;
  return request;
}

// The request that the same ClientToken has made. Throws ClientTokenConflictException if it asked for something else.
Task<std::optional<ResourceRequest>> find_repeated(store::Snapshot& reader, const ResourceRequest& request) {
  auto made = co_await request_of_client(reader, request.place, request.client_token, request.created);
  if (!made) co_return std::nullopt;
  const bool is_same = made->operation == request.operation && made->type == request.type &&
                       made->asked == request.asked &&
                       (request.operation == "CREATE" || made->identifier == request.identifier);
  if (!is_same) {
    throw errors::client_token_conflict_exception(
        cat("The client token ", request.client_token, " has been used for another request."));
  }
  co_return made;
}

Task<control::ProgressEvent> begin(Service& service, ResourceRequest request) {
  control::ProgressEvent event;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const auto made = co_await find_repeated(txn, request)) {
      event = describe_request(*made);
      co_return;
    }
    if (!request.identifier.empty()) {
      const auto other = co_await request_in_work(txn, request.place, request.type, request.identifier);
      if (other && !other->is_over()) {
        throw errors::concurrent_operation_exception(
            cat("The request ", other->token, " works on the resource '", request.identifier, "'."));
      }
    }
    co_await begin_request(txn, request);
    event = describe_request(request);
  });
  co_return event;
}

Task<std::optional<control::ProgressEvent>> repeated_event(Service& service, const ResourceRequest& request) {
  const auto snapshot = service.store().snapshot();
  const auto made = co_await find_repeated(*snapshot, request);
  co_return made ? std::optional(describe_request(*made)) : std::nullopt;
}

void require_in_place(const ResourceType& type, const json::Object& before, const json::Object& after) {
  std::string fixed;
  for (const std::string& name : changed_properties(before, after)) {
    const auto found = std::ranges::find(type.properties, std::string_view(name), &Property::name);
    const bool replaces = found != type.properties.end() && found->update == Update::replaces;
    if (replaces) fixed += cat(fixed.empty() ? "" : ", ", "/properties/", name);
  }
  if (fixed.empty() && !needs_replacement(type, before, after)) return;
  throw errors::not_updatable_exception(cat("Invalid patch update: createOnlyProperties [", fixed, "] cannot be updated"));
}

}  // namespace

Task<control::GetResourceOutput> get_resource(Service&, wire::Context& context, const control::GetResourceInput& request) {
  const ResourceType& type = require_type(request.type_name, "READ");
  AskingStep step(context, request.type_name);
  control::GetResourceOutput out;
  out.type_name = request.type_name;
  out.resource_description.emplace();
  out.resource_description->identifier = request.identifier;
  out.resource_description->properties = json::write(co_await read_resource(step, type, request.identifier, true));
  co_return out;
}

Task<control::ListResourcesOutput> list_resources(Service&, wire::Context& context,
                                                  const control::ListResourcesInput& request) {
  const ResourceType& type = require_type(request.type_name, "LIST");
  AskingStep step(context, request.type_name);
  std::vector<std::string> ids = co_await type.list(step);
  for (std::string& id : ids) id = identifier_of(type, step, std::move(id));
  std::ranges::sort(ids);
  // A page begins behind the last one of the page before.
  const auto from = request.next_token ? std::ranges::upper_bound(ids, *request.next_token) : ids.begin();
  const size_t most = static_cast<size_t>(request.max_results.value_or(kResourcesPageMax));
  control::ListResourcesOutput out;
  out.type_name = request.type_name;
  out.resource_descriptions.emplace();
  for (auto id = from; id != ids.end(); ++id) {
    if (out.resource_descriptions->size() == most) {
      out.next_token = *std::prev(id);
      break;
    }
    const Read read = co_await try_to_read(step, type, *id, true);
    if (!read && read.error().code == "NotFound") continue;  // removed since it was listed
    if (!read) throw_failure(read.error(), type.name, *id);
    out.resource_descriptions->push_back({*id, json::write(*read)});
  }
  co_return out;
}

Task<control::CreateResourceOutput> create_resource(Service& service, wire::Context& context,
                                                    const control::CreateResourceInput& request) {
  const ResourceType& type = require_type(request.type_name, "CREATE");
  ResourceRequest wanted = request_for(context, "CREATE", request.type_name, request.client_token, request.desired_state);
  wanted.after = checked(type, parse_state(request.desired_state), Source::told);
  control::CreateResourceOutput out;
  out.progress_event = co_await begin(service, std::move(wanted));
  co_return out;
}

Task<control::UpdateResourceOutput> update_resource(Service& service, wire::Context& context,
                                                    const control::UpdateResourceInput& request) {
  const ResourceType& type = require_type(request.type_name, "UPDATE");
  ResourceRequest wanted = request_for(context, "UPDATE", request.type_name, request.client_token, request.patch_document);
  wanted.identifier = request.identifier;
  control::UpdateResourceOutput out;
  out.progress_event = co_await repeated_event(service, wanted);
  if (out.progress_event) co_return out;
  AskingStep step(context, request.type_name);
  wanted.before = checked(type, co_await read_resource(step, type, request.identifier), Source::read);
  json::Value after;
  try {
    after = apply_patch(wanted.before, request.patch_document);
  } catch (const PatchRefused& error) {
    throw errors::invalid_request_exception(cat("Invalid patch update: ", error.what()));
  }
  if (!after.is_object()) throw errors::invalid_request_exception("Invalid patch update: the resource is no object then");
  wanted.after = checked(type, after.object(), Source::read);
  require_in_place(type, wanted.before, wanted.after);
  out.progress_event = co_await begin(service, std::move(wanted));
  co_return out;
}

Task<control::DeleteResourceOutput> delete_resource(Service& service, wire::Context& context,
                                                    const control::DeleteResourceInput& request) {
  const ResourceType& type = require_type(request.type_name, "DELETE");
  ResourceRequest wanted = request_for(context, "DELETE", request.type_name, request.client_token, "");
  wanted.identifier = request.identifier;
  control::DeleteResourceOutput out;
  out.progress_event = co_await repeated_event(service, wanted);
  if (out.progress_event) co_return out;
  AskingStep step(context, request.type_name);
  wanted.before = co_await read_resource(step, type, request.identifier);
  out.progress_event = co_await begin(service, std::move(wanted));
  co_return out;
}

}  // namespace tidemill::cloudformation

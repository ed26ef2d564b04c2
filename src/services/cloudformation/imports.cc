#include "services/cloudformation/imports.h"

#include <algorithm>

#include "base/ordered.h"
#include "base/text.h"
#include "services/cloudformation/identification.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

void add_name(std::string& list, std::string_view name) { list += list.empty() ? std::string(name) : cat(", ", name); }

json::Object outputs_of(const Plan& plan) {
  json::Object result;
  for (const auto& output : plan.stack.outputs()) {
    result.set(output.name, json::Object{{"Value", output.value}, {"Name", output.export_name}});
  }
  return result;
}

bool is_there(const Resources& resources, const std::string& name) {
  const auto found = resources.find(name);
  return found != resources.end() && found->second.exists();
}

// It was replaced, and goes with the clean-up.
bool is_to_remove(const Resource& holder, std::string_view physical_id) {
  return std::ranges::find(holder.leftovers, physical_id, &Made::physical_id) != holder.leftovers.end();
}

constexpr std::string_view kBesideByDefault = "default";  // of a schedule: its group

// Whether they are in the same place, where the id alone does not tell.
bool is_beside(const Resource& holder, const Candidate& candidate) {
  const Identification* identification = find_identification(candidate.type);
  if (!identification || identification->beside.empty()) return true;
  const auto where = [&](const json::Object& properties) {
    const std::string text = text_of(properties, identification->beside);
    return text.empty() ? std::string(kBesideByDefault) : text;
  };
  return where(holder.now.properties) == where(candidate.properties);
}

}  // namespace

Task<std::optional<std::string>> why_taken(store::Snapshot& reader, StackId stack, Candidate candidate,
                                           const Names& leaving) {
  const store::Range range = physical_range(stack.place, candidate.physical_id);
  std::vector<std::pair<std::string, std::string>> holders;
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view) {
    base::OrderedReader parts(key.substr(range.begin.size()));
    std::string uuid = parts.string();
    holders.emplace_back(std::move(uuid), parts.string());
    return true;
  });
  for (const auto& [uuid, name] : holders) {
    // Stacks that are deleted show what they have left alone.
    const auto holder = co_await find_resource(reader, {stack.place, "", uuid}, name);
    if (!holder || !are_named_together(holder->type, candidate.type) || !is_beside(*holder, candidate)) continue;
    const bool has_it = holder->exists() && holder->now.physical_id == candidate.physical_id;
    if (has_it && uuid == stack.uuid && (name == candidate.logical_id || leaving.contains(name))) continue;
    if (!has_it && !is_to_remove(*holder, candidate.physical_id)) continue;
    co_return cat("Resource ", candidate.logical_id, " with identifier ", candidate.physical_id,
                  " already exists in a stack");
  }
  co_return std::nullopt;
}

Names names_left_alone(const Plan& plan, const Resources& resources) {
  const auto& order = plan.graph.order();
  Names result;
  for (const auto& [name, resource] : resources) {
    if (!resource.exists() || !resource.deletion_policy.starts_with("Retain")) continue;
    if (resource.undone || resource.status == "CREATE_FAILED") continue;  // these no policy keeps (Deployment::remove())
    if (std::ranges::find(order, name) == order.end()) result.insert(name);
  }
  return result;
}

base::json::TextMap requested_imports(const shapes::CreateChangeSetInput& request) {
  const bool is_import = request.change_set_type == std::optional<std::string>("IMPORT");
  const bool has_resources = request.resources_to_import && !request.resources_to_import->empty();
  if (is_import != has_resources) {
    throw errors::validation_error(is_import ? "ResourcesToImport must be specified for a change set of the type IMPORT."
                                             : "ResourcesToImport is only for change sets of the type IMPORT.");
  }
  if (is_import && request.import_existing_resources.value_or(false)) {
    throw errors::validation_error("ImportExistingResources is only for change sets of the types CREATE and UPDATE.");
  }
  base::json::TextMap result;
  if (!is_import) return result;
  for (const shapes::ResourceToImport& one : *request.resources_to_import) {
    const Identification* identification = find_type(one.resource_type) ? find_identification(one.resource_type) : nullptr;
    if (!identification) {
      throw errors::validation_error(cat("ResourceTypes [", one.resource_type, "] are not supported for Import"));
    }
    const auto found = one.resource_identifier.find(std::string(identification->property));
    if (found == one.resource_identifier.end() || one.resource_identifier.size() != 1 || found->second.empty()) {
      throw errors::validation_error(cat("Resource identifier of ", one.logical_resource_id, " must be [",
                                         identification->property, "] for the type ", one.resource_type));
    }
    if (!result.emplace(one.logical_resource_id, found->second).second) {
      throw errors::validation_error(cat("Resource ", one.logical_resource_id, " is in ResourcesToImport twice"));
    }
  }
  return result;
}

Task<void> check_imports(store::Snapshot& reader, const Stack& stack, const Plan& plan, const Plan* before,
                         const Resources& resources, const base::json::TextMap& importing,
                         const base::json::TextMap& types) {
  std::string absent, unprotected, missing;
  for (const auto& [name, id] : importing) {
    const auto* resource = plan.stack.resource(name);
    if (!resource || !plan.scope.is_active(*resource)) {
      add_name(absent, name);
    } else if (types.at(name) != resource->type) {
      throw errors::validation_error(cat("Resource ", name, " in ResourcesToImport is of the type ", types.at(name),
                                         ", and of the type ", resource->type, " in the template"));
    } else if (resource->deletion_policy.empty()) {
      add_name(unprotected, name);
    }
    if (is_there(resources, name)) {
      throw errors::validation_error(cat("Resource ", name, " is in stack [", stack.id.name, "] already"));
    }
  }
  for (const std::string& name : plan.graph.order()) {
    if (!importing.contains(name) && !is_there(resources, name)) add_name(missing, name);
  }
  if (!absent.empty()) throw errors::validation_error(cat("Resources [", absent, "] do not exist in the template"));
  if (!missing.empty()) throw errors::validation_error(cat("Resources [", missing, "] is missing from ResourceToImport list"));
  if (!unprotected.empty()) {
    throw errors::validation_error(
        cat("Following resources to import [", unprotected, "] must have DeletionPolicy attribute specified in the template."));
  }
  if (!json::equal(outputs_of(plan), before ? outputs_of(*before) : json::Object())) {
    throw errors::validation_error("As part of the import operation, you cannot modify or add [Outputs]");
  }
  for (const auto& [name, id] : importing) {
    const auto problem = co_await why_taken(reader, stack.id, {name, plan.stack.resource(name)->type, id, {}}, {});
    if (problem) throw errors::validation_error(*problem);
  }
}

void show_imports(const ChangeSet& set, Changes& changes) {
  for (json::Value& change : changes.list) {
    json::Object of = change.find("ResourceChange")->object();
    const auto found = set.importing.find(of.find("LogicalResourceId")->string());
    if (found == set.importing.end()) continue;
    of.set("Action", "Import");
    of.set("PhysicalResourceId", found->second);
    change = json::Object{{"Type", "Resource"}, {"ResourceChange", std::move(of)}};
  }
}

void require_only_imports(const ChangeSet& set, const Changes& changes) {
  std::string modified;
  for (const json::Value& change : changes.list) {
    const std::string& name = change.find("ResourceChange")->find("LogicalResourceId")->string();
    if (!set.importing.contains(name) && !changes.nested.contains(name)) add_name(modified, name);
  }
  if (modified.empty()) return;
  throw TemplateRefused(cat("You have modified resources [", modified,
                            "] in your template that are not being imported. Update, create or delete operations cannot be "
                            "executed during import operations."));
}

}  // namespace tidemill::cloudformation

#include "services/cloudformation/changes.h"

#include <algorithm>

#include "base/executor.h"
#include "base/json_objects.h"
#include "base/text.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/properties.h"
#include "services/cloudformation/stack_outputs.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {

using base::cat;
namespace templates = lang::templates;

namespace {

// As change sets show values: scalars as text.
json::Value as_texts(const json::Value& value) {
  if (value.is_number()) return value.number_text();
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_array()) {
    json::Array result;
    for (const json::Value& one : value.array()) result.push_back(as_texts(one));
    return result;
  }
  if (value.is_object()) {
    std::vector<json::Member> members;
    members.reserve(value.object().size());
    for (const auto& [name, one] : value.object()) members.emplace_back(name, as_texts(one));
    return json::object_of(std::move(members));
  }
  return value;
}

std::string text_of_value(const json::Value& value) {
  const json::Value shown = as_texts(value);
  return shown.is_string() ? shown.string() : json::write(shown);
}

std::string context_of(const json::Object& properties) {
  return json::write(json::Object{{"Properties", as_texts(json::Value(properties))}});
}

bool mentions_unknown(const json::Value& value) {
  return json::write(value).find(templates::kKnownAfterApply) != std::string::npos;
}

// Whether what changes of a resource has it made anew.
struct Recreation {
  bool is_certain = false;
  bool is_of_unknown = false;  // if a value that is not known yet turns out to be another
  bool is_possible = false;    // whatever it takes: one of the others, or what the type says
};

class Finder {
 public:
  Finder(store::Snapshot& reader, wire::Context& context, const Definition& definition, const Plan* before,
         const Resources& resources, const Stack& stack)
      : reader_(reader), context_(context), definition_(definition), before_(before), resources_(resources), stack_(stack) {}

  Task<Changes> find() {
    for (const std::string& name : definition_.plan->graph.order()) {
      if (base::slice_is_over()) co_await base::give_way();
      const auto found = resources_.find(name);
      const bool is_there = found != resources_.end() && found->second.exists();
      json::Object change = is_there ? co_await modify(found->second) : co_await add(name);
      if (!change.empty()) push(std::move(change));
    }
    for (const auto& [name, resource] : resources_) {
      const auto& order = definition_.plan->graph.order();
      if (!resource.exists() || std::ranges::find(order, name) != order.end()) continue;
      push(remove(resource));
    }
    std::ranges::stable_sort(changes_.list, {}, [](const json::Value& change) {
      return change.find("ResourceChange")->find("LogicalResourceId")->string();
    });
    co_return std::move(changes_);
  }

 private:
  void push(json::Object change) {
    changes_.list.push_back(json::Object{{"Type", "Resource"}, {"ResourceChange", std::move(change)}});
  }

  // `hidden`: as everybody may see them.
  Task<json::Object> properties_of(std::string name, bool hidden) {
    const json::Value written(definition_.plan->stack.resource(name)->properties);
    const auto needs = definition_.plan->scope.needs(written);
    templates::Known known;
    known.partial = true;
    known.hides_no_echo = hidden;
    for (const std::string& ref : needs.refs) {
      const auto found = resources_.find(ref);
      if (found != resources_.end() && found->second.exists() && !replaced_.contains(ref)) {
        known.refs[ref] = found->second.now.physical_id;
      }
    }
    for (const auto& attribute : needs.attributes) {
      const auto found = resources_.find(attribute.first);
      if (found == resources_.end() || !found->second.exists() || replaced_.contains(attribute.first)) continue;
      const json::Value* value = found->second.now.attributes.find(attribute.second);
      if (!value || changed_.contains(attribute.first)) continue;
      const bool is_hidden = hidden && found->second.now.hides_attributes;
      known.attributes[attribute] = is_hidden ? json::Value(templates::kHiddenValue) : *value;
    }
    for (const std::string& import : needs.imports) {
      const auto found = co_await find_export(reader_, stack_.place(), import);
      if (found && found->stack != stack_.id.arn()) {
        known.imports[import] = found->value;
      } else {
        warn(name, no_export(import).what());
      }
    }
    if (!needs.outputs.empty()) {
      co_await add_outputs(definition_.plan->scope, written, known,
                           [&](templates::OutputOfStack output) { return look_up(name, std::move(output)); });
    }
    const json::Value value = definition_.plan->scope.evaluate(written, known);
    co_return value.is_object() ? value.object() : json::Object();
  }

  // Asked once for the whole set; nothing: it cannot be told now.
  Task<std::optional<std::string>> look_up(std::string name, templates::OutputOfStack output) {
    const auto found = outputs_.find(output);
    if (found != outputs_.end()) co_return found->second;
    std::optional<std::string> value;
    try {
      value = co_await output_of_stack(context_, output);
    } catch (const templates::TemplateError& error) {
      warn(name, error.what());
    }
    outputs_[std::move(output)] = value;
    co_return value;
  }

  void warn(std::string_view name, std::string_view problem) {
    if (!changes_.warning.empty()) return;
    changes_.warning = cat("[WARN] --include-property-values option can return incomplete ChangeSet data because: ",
                           "ChangeSet creation failed for resource [", name, "] because: ", problem);
  }

  Task<json::Object> add(std::string name) {
    const templates::Resource& resource = *definition_.plan->stack.resource(name);
    const json::Object properties = co_await properties_of(name, true);
    if (resource.type == kStackType) changes_.nested[name] = co_await properties_of(name, false);
    co_return json::Object{{"Action", "Add"},
                           {"LogicalResourceId", name},
                           {"ResourceType", resource.type},
                           {"Scope", json::Array()},
                           {"Details", json::Array()},
                           {"AfterContext", context_of(properties)}};
  }

  json::Object remove(const Resource& resource) {
    const bool is_kept = resource.deletion_policy.starts_with("Retain");
    return json::Object{{"PolicyAction", is_kept ? "Retain" : "Delete"},
                        {"Action", "Remove"},
                        {"LogicalResourceId", resource.logical_id},
                        {"PhysicalResourceId", resource.now.physical_id},
                        {"ResourceType", resource.type},
                        {"Scope", json::Array()},
                        {"Details", json::Array()},
                        {"BeforeContext", context_of(resource.now.visible())}};
  }

  static json::Object automatic(const Resource& resource) {
    const json::Object target{{"Attribute", "Properties"}, {"RequiresRecreation", "Never"}};
    return json::Object{
        {"Action", "Modify"},
        {"LogicalResourceId", resource.logical_id},
        {"PhysicalResourceId", resource.now.physical_id},
        {"ResourceType", resource.type},
        {"Replacement", "False"},
        {"Scope", json::Array{"Properties"}},
        {"Details",
         json::Array{json::Object{{"Target", target}, {"Evaluation", "Dynamic"}, {"ChangeSource", kAutomatic}}}},
        {"BeforeContext", context_of(resource.now.visible())},
        {"AfterContext", context_of(resource.now.visible())}};
  }

  // Nothing: it stays as it is.
  Task<json::Object> modify(const Resource& resource) {
    const std::string& name = resource.logical_id;
    const ResourceType* type = find_type(resource.type);
    json::Object given = co_await properties_of(name, false), after = given, shown = co_await properties_of(name, true);
    try {
      if (type) after = checked_properties(*type, name, given);
    } catch (const PropertiesRefused&) {
      // An unknown value where a number is wanted, or what fails when it is deployed.
    }
    json::Array details;
    Recreation recreation;
    auto changed = changed_properties(resource.now.properties, after);
    // What a dynamic reference stands for is not known here, and no change of the template.
    std::erase_if(changed, [&](const std::string& property) { return is_same_secret(resource, property, shown); });
    const bool hides = !json::equal(json::Value(shown), json::Value(given)) || resource.now.shown;
    if (hides) after = shown;
    for (const std::string& property : changed) {
      add_details(resource, type, property, after, details, recreation);
    }
    std::vector<std::string> scope;
    if (!changed.empty()) scope.emplace_back("Properties");
    add_attribute_changes(resource, scope, details);
    if (resource.type == kStackType) {
      changes_.nested[name] = given;
      if (scope.empty()) co_return automatic(resource);
    }
    if (scope.empty()) co_return json::Object();
    changed_.insert(name);
    if (recreation.is_certain || recreation.is_of_unknown) replaced_.insert(name);
    json::Object change;
    if (recreation.is_certain) {
      change.set("PolicyAction", resource.update_replace_policy.starts_with("Retain") ? "ReplaceAndRetain" : "ReplaceAndDelete");
    }
    change.set("Action", "Modify");
    change.set("LogicalResourceId", name);
    change.set("PhysicalResourceId", resource.now.physical_id);
    change.set("ResourceType", resource.type);
    change.set("Replacement", recreation.is_certain ? "True" : recreation.is_possible ? "Conditional" : "False");
    json::Array scopes;
    for (std::string& one : scope) scopes.push_back(std::move(one));
    change.set("Scope", std::move(scopes));
    change.set("Details", std::move(details));
    change.set("BeforeContext", context_of(resource.now.visible()));
    change.set("AfterContext", context_of(after));
    co_return change;
  }

  void add_details(const Resource& resource, const ResourceType* type, const std::string& property,
                   const json::Object& after, json::Array& details, Recreation& recreation) {
    const std::string_view required = type ? requires_recreation(*type, property) : "Never";
    const json::Value* old_value = resource.now.visible().find(property);
    const json::Value* new_value = after.find(property);
    const json::Value* written = definition_.plan->stack.resource(resource.logical_id)->properties.find(property);
    json::Object target{{"Attribute", "Properties"},
                        {"Name", property},
                        {"RequiresRecreation", required},
                        {"Path", cat("/Properties/", property)}};
    if (old_value) target.set("BeforeValue", text_of_value(*old_value));
    if (new_value) target.set("AfterValue", text_of_value(*new_value));
    target.set("AttributeChangeType", !old_value ? "Add" : !new_value ? "Remove" : "Modify");
    const bool is_unknown = new_value && mentions_unknown(*new_value);
    bool is_static = false;
    std::vector<json::Object> causes;
    if (written) {
      const auto needs = definition_.plan->scope.needs(*written);
      for (const std::string& ref : needs.refs) {
        if (replaced_.contains(ref)) causes.push_back(cause("ResourceReference", ref));
      }
      for (const auto& [id, attribute] : needs.attributes) {
        if (changed_.contains(id)) causes.push_back(cause("ResourceAttribute", cat(id, ".", attribute)));
      }
      for (const std::string& parameter : definition_.plan->scope.parameters_used(*written)) {
        if (has_changed(parameter)) causes.push_back(cause("ParameterReference", parameter, !is_unknown));
      }
    }
    if (causes.empty() || is_unknown) {
      details.push_back(json::Object{{"Target", target},
                                     {"Evaluation", is_unknown ? "Dynamic" : "Static"},
                                     {"ChangeSource", "DirectModification"}});
    }
    is_static = causes.empty() && !is_unknown;
    for (json::Object& one : causes) {
      one.set("Target", target);
      is_static |= one.find("Evaluation")->string() == "Static";
      details.push_back(std::move(one));
    }
    recreation.is_certain |= required == "Always" && is_static;
    recreation.is_of_unknown |= required == "Always" && is_unknown;
    recreation.is_possible |= required != "Never";
  }

  bool is_same_secret(const Resource& resource, const std::string& property, const json::Object& shown) const {
    if (!resource.now.shown) return false;
    const json::Value *before = resource.now.shown->find(property), *after = shown.find(property);
    const json::Value* written = definition_.plan->stack.resource(resource.logical_id)->properties.find(property);
    if (!before || !after || !written || !json::equal(*before, *after)) return false;
    const auto parameters = definition_.plan->scope.parameters_used(*written);
    return std::ranges::none_of(parameters, [&](const std::string& one) { return has_changed(one); });
  }

  static json::Object cause(std::string_view source, std::string entity, bool is_static = false) {
    return json::Object{{"Evaluation", is_static ? "Static" : "Dynamic"},
                        {"ChangeSource", source},
                        {"CausingEntity", std::move(entity)}};
  }

  bool has_changed(const std::string& parameter) const {
    const auto before = stack_.current ? stack_.current->values() : templates::ParameterValues();
    const auto after = definition_.settings.values();
    const auto a = before.find(parameter), b = after.find(parameter);
    return a == before.end() || b == after.end() || a->second.effective() != b->second.effective();
  }

  void add_attribute_changes(const Resource& resource, std::vector<std::string>& scope, json::Array& details) {
    const templates::Resource& now = *definition_.plan->stack.resource(resource.logical_id);
    const auto add = [&](std::string_view attribute) {
      scope.emplace_back(attribute);
      details.push_back(json::Object{{"Target", json::Object{{"Attribute", attribute}, {"RequiresRecreation", "Never"}}},
                                     {"Evaluation", "Static"},
                                     {"ChangeSource", "DirectModification"}});
    };
    const templates::Resource* old = before_ ? before_->stack.resource(resource.logical_id) : nullptr;
    if (old && !json::equal(old->metadata, now.metadata)) add("Metadata");
    if (resource.deletion_policy != now.deletion_policy) add("DeletionPolicy");
    if (resource.update_replace_policy != now.update_replace_policy) add("UpdateReplacePolicy");
    const ResourceType* type = find_type(resource.type);
    const bool has_tags = type && std::ranges::any_of(type->properties, [](const Property& one) { return one.name == "Tags"; });
    if (has_tags && resource.now.tags != definition_.settings.tags) add("Tags");
  }

  store::Snapshot& reader_;
  wire::Context& context_;
  const Definition& definition_;
  const Plan* before_;
  const Resources& resources_;
  const Stack& stack_;
  Changes changes_;
  std::map<templates::OutputOfStack, std::optional<std::string>> outputs_;  // of other stacks, that were asked for
  std::set<std::string> changed_;
  std::set<std::string> replaced_;
};

}  // namespace

Task<Changes> find_changes(store::Snapshot& reader, wire::Context& context, const Definition& definition, const Plan* before,
                           const Resources& resources, const Stack& stack) {
  Finder finder(reader, context, definition, before, resources, stack);
  co_return co_await finder.find();
}

}  // namespace tidemill::cloudformation

#include "lang/templates/extensions.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/json_objects.h"
#include "base/text.h"
#include "lang/templates/arguments.h"
#include "lang/templates/contains.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/json_string.h"
#include "lang/templates/sections.h"
#include "lang/templates/transform.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr size_t kIterationBytes = 16;  // as which one of a loop counts, beside what it makes

constexpr std::array<std::string_view, 3> kSections = {"Conditions", "Resources", "Outputs"};

[[noreturn]] void fail(std::string_view why) {
  throw TransformError(cat("Transform ", kLanguageExtensionsTransform, " failed with: ", why));
}

// The members of an object that is being made.
struct Made {
  std::vector<json::Member> members;
  std::unordered_set<std::string> names;

  // In the place of an earlier one of that name.
  void put(std::string name, json::Value value) {
    names.insert(name);
    members.emplace_back(std::move(name), std::move(value));
  }
};

// Identifiers of the loops around a fragment, and the items that stand for them.
using Bindings = std::map<std::string, std::string, std::less<>>;

std::string alphanumeric_of(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return is_alphanumeric({&c, 1}); });
  return out;
}

// `text` with ${Identifier} replaced, and, where `in_key`, &{Identifier} by the item's letters and digits.
std::string substitute(std::string_view text, const Bindings& bindings, bool in_key) {
  std::string out;
  while (true) {
    const size_t brace = text.find('{');
    const size_t close = brace == std::string_view::npos ? brace : text.find('}', brace);
    if (close == std::string_view::npos) return out.append(text);
    const char form = brace == 0 ? '\0' : text[brace - 1];
    const auto item = bindings.find(text.substr(brace + 1, close - brace - 1));
    if (item != bindings.end() && (form == '$' || (form == '&' && in_key))) {
      out.append(text.substr(0, brace - 1)).append(form == '$' ? item->second : alphanumeric_of(item->second));
      text.remove_prefix(close + 1);
    } else {
      out.append(text.substr(0, brace + 1));
      text.remove_prefix(brace + 1);
    }
  }
}

class Extensions {
 public:
  explicit Extensions(const Inputs& inputs) : inputs_(inputs) {}

  json::Value apply(const json::Value& document) {
    json::Value out = document;
    for (const std::string_view section : kSections) {
      // What is expanded already (conditions) is what the next section sees.
      original_.emplace(Template::of_original(out));
      json::Value* value = out.object().find(section);
      if (value == nullptr) continue;
      section_ = section;
      *value = expand_members(*value, {}, true);
      if (section == "Resources") resolve_attributes(*value);
      if (section == "Outputs") resolve_conditions(*value);
    }
    return out;
  }

 private:
  // ---- What is known before the deployment ----

  // The value, if it asks for nothing of resources.
  std::optional<json::Value> value_of(const json::Value& value) const {
    static const Known kPartial{.partial = true};
    Evaluation evaluation(*original_, inputs_, kPartial, Evaluation::Place::condition);
    try {
      auto result = evaluation.evaluate(value);
      const Needs& needs = evaluation.needs();
      if (!needs.empty()) return std::nullopt;
      return result;
    } catch (const TemplateError&) {
      return std::nullopt;  // what is wrong is said when the processed template is read
    }
  }

  std::optional<std::string> text_of(const json::Value& value) const {
    const auto result = value_of(value);
    return result ? as_text(*result) : std::nullopt;
  }

  // ---- Fragments ----

  json::Value expand(const json::Value& value, const Bindings& bindings) {
    charge(value);
    if (const auto call = as_call(value); call && !call->name.starts_with(kForEachPrefix))
      return expand_call(*call, bindings);
    if (value.is_object()) return expand_members(value, bindings, false);
    if (!value.is_array()) return value;
    json::Array array;
    for (const json::Value& element : value.array()) array.push_back(expand(element, bindings));
    return array;
  }

  json::Value expand_members(const json::Value& value, const Bindings& bindings, bool are_ids) {
    if (!value.is_object()) return expand(value, bindings);
    Made made;
    for (const auto& [name, member] : value.object()) {
      if (name.starts_with(kForEachPrefix)) {
        expand_loop(made, member, bindings, are_ids);
      } else {
        made.put(name, expand(member, bindings));
      }
    }
    return json::object_of(std::move(made.members));
  }

  json::Value expand_call(const Call& call, const Bindings& bindings) {
    const json::Value& argument = *call.argument;
    if (call.name == kRef && argument.is_string()) {
      const auto item = bindings.find(argument.string());
      return item == bindings.end() ? make_call(kRef, argument) : json::Value(item->second);
    }
    if (call.name == kSub) return expand_sub(argument, bindings);
    json::Value expanded = expand(argument, bindings);
    if (call.name == kRef) return make_call(kRef, name_of(std::move(expanded)));
    if (call.name == kGetAtt && expanded.is_array()) {
      for (json::Value& part : expanded.array()) part = name_of(std::move(part));
    }
    if (call.name == kFindInMap) return find_in_map(std::move(expanded));
    if (call.name == kLength) return length(expanded);
    if (call.name == kToJsonString) {
      return json_string(expanded, *original_, inputs_, [this](const json::Value& value) { return value_of(value); });
    }
    return make_call(call.name, std::move(expanded));
  }

  static json::Value make_call(std::string_view name, json::Value argument) {
    json::Object call;
    call.set(std::string(name), std::move(argument));
    return call;
  }

  // A name that is made by a function, as far as that can be told.
  json::Value name_of(json::Value value) const {
    if (as_call(value)) {
      if (auto text = text_of(value)) return std::move(*text);
    }
    return value;
  }

  json::Value expand_sub(const json::Value& argument, const Bindings& bindings) {
    if (argument.is_string()) return make_call(kSub, substitute(argument.string(), bindings, false));
    if (!argument.is_array() || argument.array().size() != 2 || !argument.array()[0].is_string()) {
      return make_call(kSub, argument);
    }
    return make_call(kSub, json::Array{substitute(argument.array()[0].string(), bindings, false),
                                       expand(argument.array()[1], bindings)});
  }

  // [map, first key, second key, {"DefaultValue": …}]
  json::Value find_in_map(json::Value argument) const {
    const json::Value* fallback = nullptr;
    json::Value lookup = argument;
    if (argument.is_array() && argument.array().size() == 4) {
      fallback = argument.array()[3].find("DefaultValue");
      if (fallback == nullptr || argument.array()[3].object().size() != 1) fail("Fn::FindInMap layout is incorrect");
      lookup.array().pop_back();
    }
    if (auto found = value_of(make_call(kFindInMap, lookup))) return std::move(*found);
    return fallback == nullptr ? make_call(kFindInMap, std::move(lookup)) : *fallback;
  }

  json::Value length(const json::Value& argument) const {
    const auto list = argument.is_array() ? std::optional(argument) : value_of(argument);
    if (!list || !list->is_array()) fail("The Fn::Length value could not be resolved for properties");
    return list->array().size();
  }

  // ---- Fn::ForEach::Name: [identifier, collection, {key: value}] ----

  void expand_loop(Made& out, const json::Value& loop, const Bindings& bindings, bool are_ids) {
    if (!loop.is_array() || loop.array().size() != 3 || !loop.array()[0].is_string() || !loop.array()[2].is_object()) {
      fail("Fn::ForEach layout is incorrect");
    }
    const std::string& identifier = loop.array()[0].string();
    for (const auto& [name, item] : bindings) charge(name.size() + item.size());
    Bindings inner = bindings;
    for (std::string& item : items_of(loop.array()[1], bindings)) {
      charge(kIterationBytes + item.size());  // also of a body that makes nothing
      inner[identifier] = std::move(item);
      for (const auto& [key, member] : loop.array()[2].object()) {
        if (key.starts_with(kForEachPrefix)) {
          expand_loop(out, member, inner, are_ids);
        } else {
          add(out, substitute(key, inner, true), expand(member, inner), are_ids);
        }
      }
    }
  }

  void add(Made& out, std::string name, json::Value value, bool is_id) const {
    if (is_id && !is_alphanumeric(name)) {
      fail(cat(section_ == "Outputs" ? "OutputKey" : "LogicalId", " '", name, "' should be alphanumeric"));
    }
    if (out.names.size() >= kMembersMax) fail(cat("Fn::ForEach makes more than ", kMembersMax, " members"));
    if (out.names.contains(name)) fail(cat("Fn::ForEach makes '", name, "' more than once"));
    out.put(std::move(name), std::move(value));
  }

  std::vector<std::string> items_of(const json::Value& collection, const Bindings& bindings) {
    if (!collection.is_array() && !as_call(collection)) fail("Fn::ForEach layout is incorrect");
    const auto list = value_of(expand(collection, bindings));
    if (!list || !list->is_array()) fail("Could not find a collection or could not be resolved for Fn::ForEach");
    std::vector<std::string> items;
    for (const json::Value& element : list->array()) {
      auto text = as_text(element);
      if (!text) fail("Could not find a collection or could not be resolved for Fn::ForEach");
      items.push_back(std::move(*text));
    }
    return items;
  }

  // ---- What resources and outputs may have functions for ----

  void resolve_attributes(json::Value& resources) const {
    if (!resources.is_object()) return;
    resolve_conditions(resources);
    for (auto& [name, resource] : resources.object()) {
      if (!resource.is_object()) continue;
      for (const char* attribute : {"DeletionPolicy", "UpdateReplacePolicy"}) {
        json::Value* policy = resource.object().find(attribute);
        if (policy != nullptr) *policy = name_of(std::move(*policy));
      }
      json::Value* depends_on = resource.object().find("DependsOn");
      if (depends_on == nullptr) continue;
      if (depends_on->is_array()) {
        for (json::Value& each : depends_on->array()) each = name_of(std::move(each));
      } else {
        *depends_on = name_of(std::move(*depends_on));
      }
    }
  }

  void resolve_conditions(json::Value& members) const {
    if (!members.is_object()) return;
    for (auto& [name, member] : members.object()) {
      json::Value* condition = member.is_object() ? member.object().find("Condition") : nullptr;
      if (condition == nullptr) continue;
      *condition = name_of(std::move(*condition));
      if (condition->is_string() && original_->conditions().find(condition->string()) == nullptr) {
        fail(cat("Key ", condition->string(), " is missing in the map."));
      }
    }
  }

  // Loops may make much of little.
  void charge(const json::Value& value) {
    charge(value.is_string() ? value.string().size() + 1 : 2);
  }
  void charge(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > 2 * kProcessedBytesMax) fail(cat("Template may not exceed ", kProcessedBytesMax, " bytes in size."));
  }

  const Inputs& inputs_;
  std::optional<Template> original_;
  std::string_view section_;
  size_t bytes_ = 0;
};

}  // namespace

json::Value apply_extensions(const json::Value& document, const Inputs& inputs) {
  return Extensions(inputs).apply(document);
}

}  // namespace tidemill::lang::templates

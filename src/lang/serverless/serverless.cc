#include "lang/serverless/serverless.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "lang/serverless/application.h"
#include "lang/serverless/globals.h"
#include "lang/serverless/resources.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;
using Names = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kPrefix = "AWS::Serverless::";

struct Maker {
  std::string_view type;
  void (*make)(Application& application, const Source& source);
};
// Layers come first: others refer to them by the names that they get.
constexpr auto kMakers = std::to_array<Maker>({
    {"AWS::Serverless::LayerVersion", make_layer},
    {"AWS::Serverless::SimpleTable", make_simple_table},
    {"AWS::Serverless::Function", make_function},
    {"AWS::Serverless::StateMachine", make_state_machine},
    {"AWS::Serverless::Application", make_nested_application},
});

bool has_kind(const json::Value& resource, std::string_view type) {
  const json::Value* given = resource.find("Type");
  return given != nullptr && given->is_string() && given->string() == type;
}

Source read_source(const std::string& id, const json::Value& resource, std::string_view type,
                   const json::Value* globals) {
  Source source{.id = id};
  for (const auto& [name, value] : resource.object()) {
    if (name == "Properties" && !value.is_object()) throw ResourceError("Properties is not a map.");
    if (name != "Properties" && name != "Type") source.attributes.set(name, value);
  }
  const json::Value* properties = resource.find("Properties");
  static const json::Object kNone;
  source.properties = with_globals(globals, type, properties == nullptr ? kNone : properties->object());
  return source;
}

class Transformation {
 public:
  Transformation(const json::Object& resources, const json::Value* globals, const Evaluate& evaluate)
      : given_(resources), globals_(globals), application_(resources, evaluate) {}

  json::Object run() {
    for (const auto& [id, resource] : given_) refuse_unknown(id, resource);
    for (const Maker& maker : kMakers) {
      for (const auto& [id, resource] : given_) {
        if (has_kind(resource, maker.type)) make(maker, id, resource);
      }
    }
    if (!errors_.empty()) {
      throw Error(
          cat("Invalid Serverless Application Specification document. Number of errors found: ", count_, ".", errors_));
    }
    return std::move(application_.resources());
  }

  [[nodiscard]] const Names& renamed() const { return application_.renamed(); }

 private:
  void note(const std::string& id, const std::string& why) {
    ++count_;
    errors_.append(cat(" Resource with id [", id, "] is invalid. ", why));
  }

  void refuse_unknown(const std::string& id, const json::Value& resource) {
    const json::Value* type = resource.find("Type");
    if (type == nullptr || !type->is_string() || !type->string().starts_with(kPrefix)) return;
    if (std::ranges::find(kMakers, type->string(), &Maker::type) == kMakers.end()) {
      note(id, cat(type->string(), " is not supported."));
    }
  }

  void make(const Maker& maker, const std::string& id, const json::Value& resource) {
    try {
      maker.make(application_, read_source(id, resource, maker.type, globals_));
    } catch (const ResourceError& error) {
      note(id, error.what());
    }
  }

  const json::Object& given_;
  const json::Value* globals_;
  Application application_;
  std::string errors_;
  size_t count_ = 0;
};

// References to what has another name now: Ref, the resource of Fn::GetAtt, variables of Fn::Sub, DependsOn.
class Renaming {
 public:
  explicit Renaming(const Names& names) : names_(names) {}

  void apply(json::Value& value) const {
    if (value.is_array()) {
      for (json::Value& element : value.array()) apply(element);
    } else if (value.is_object()) {
      for (auto& [name, member] : value.object()) {
        if (name == "Ref" || name == "DependsOn") rename(member);
        if (name == "Fn::GetAtt") rename_attribute(member);
        if (name == "Fn::Sub") rename_text(member.is_array() && !member.array().empty() ? member.array()[0] : member);
        apply(member);
      }
    }
  }

 private:
  void rename(json::Value& name) const {
    if (name.is_array()) {
      for (json::Value& each : name.array()) rename(each);
    } else if (name.is_string()) {
      const auto found = names_.find(name.string());
      if (found != names_.end()) name = found->second;
    }
  }

  // ["Layer", "Arn"]; ["Function.Alias", …] and "Function.Alias.…" do not exist on AWS either.
  void rename_attribute(json::Value& argument) const {
    if (argument.is_array() && !argument.array().empty()) return rename(argument.array()[0]);
    if (!argument.is_string()) return;
    const size_t dot = std::min(argument.string().find('.'), argument.string().size());
    const auto found = names_.find(std::string_view(argument.string()).substr(0, dot));
    if (found != names_.end()) argument = found->second + argument.string().substr(dot);
  }

  void rename_text(json::Value& value) const {
    if (!value.is_string()) return;
    std::string_view rest = value.string();
    std::string out;
    while (true) {
      const size_t open = rest.find("${");
      const size_t close = open == std::string_view::npos ? open : rest.find('}', open);
      if (close == std::string_view::npos) break;
      out.append(rest.substr(0, open + 2)).append(variable(rest.substr(open + 2, close - open - 2))).push_back('}');
      rest.remove_prefix(close + 1);
    }
    value = out.append(rest);
  }

  // "Function.Alias" as a whole, or the resource before the dot.
  [[nodiscard]] std::string variable(std::string_view name) const {
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    const size_t dot = std::min(name.find('.'), name.size());
    const auto found = names_.find(name.substr(0, dot));
    return found == names_.end() ? std::string(name) : found->second + std::string(name.substr(dot));
  }

  const Names& names_;
};

}  // namespace

json::Value transform(const json::Value& document, const Evaluate& evaluate) {
  json::Value out = document;
  const json::Value* globals = document.find("Globals");
  if (globals != nullptr) check_globals(*globals);
  json::Value* resources = out.object().find("Resources");
  if (resources == nullptr || !resources->is_object()) {
    throw Error(
        "Invalid Serverless Application Specification document. Number of errors found: 1. 'Resources' section is "
        "required");
  }
  const json::Object given = resources->object();
  Transformation transformation(given, globals, evaluate);
  *resources = transformation.run();
  out.object().erase("Globals");
  if (!transformation.renamed().empty()) {
    for (const char* section : {"Resources", "Outputs"}) {
      if (json::Value* value = out.object().find(section)) Renaming(transformation.renamed()).apply(*value);
    }
  }
  return out;
}

}  // namespace tidemill::lang::serverless

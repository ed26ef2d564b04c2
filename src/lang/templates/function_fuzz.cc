// A value with functions in it, as JSON or YAML, evaluated as a property of a stack that has something of each kind:
// whatever it is, no more than an error comes of it, and what comes has no functions left that are known here.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lang/templates/parse.h"
#include "lang/templates/scope.h"
#include "lang/templates/template_error.h"
#include "lang/templates/transform.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::templates;

void check(bool holds) {
  if (!holds) std::abort();
}

json::Value stack_with(const json::Value& value) {
  json::Value document = parse(R"({
    "Parameters": {"P": {"Type": "String", "Default": "p,q"}, "N": {"Type": "Number", "Default": 1},
                   "L": {"Type": "CommaDelimitedList", "Default": "a, b"}},
    "Mappings": {"M": {"p": {"k": "v", "l": ["x", "y"]}}},
    "Conditions": {"Yes": {"Fn::Equals": [{"Ref": "N"}, 1]}, "No": {"Fn::Not": [{"Condition": "Yes"}]}},
    "Resources": {"Q": {"Type": "T::T::T"}, "X": {"Type": "T::T::T", "Properties": {}}}})");
  document.object().find("Resources")->object().find("X")->object().find("Properties")->object().set("V", value);
  return document;
}

// Once as it stands, and once with Q's answers unknown.
void evaluate(const Scope& scope) {
  const json::Value properties = scope.stack().resource("X")->properties;
  const Needs needs = scope.needs(properties);
  for (const bool partial : {false, true}) {
    Known known{.partial = partial};
    for (const std::string& name : needs.refs) known.refs[name] = "ref";
    for (const Attribute& each : needs.attributes) {
      if (!partial) known.attributes[each] = json::Array{"1", "2"};
    }
    for (const std::string& name : needs.imports) known.imports[name] = "10.0.0.0/16";
    try {
      known.partial = true;
      for (const OutputOfStack& each : scope.needs(properties, known).outputs) known.outputs[each] = "output";
      known.partial = partial;
      const json::Value result = scope.evaluate(properties, known);
      check(result.is_object());
      check(scope.evaluate(properties, known).is_object());
    } catch (const TemplateError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const json::Value value = parse_fragment({reinterpret_cast<const char*>(data), size});
    for (const bool extended : {false, true}) {
      json::Value document = stack_with(value);
      if (extended) document.object().set("Transform", kLanguageExtensionsTransform);
      const auto parameters = resolve_parameters(Template::of_original(document).parameters(), {});
      const Inputs inputs{.pseudo = {.region = "us-east-1"}, .parameters = parameters};
      try {
        if (extended) document = transform(document, inputs, {});
        const Template stack(document);
        evaluate(Scope(stack, inputs));
      } catch (const TemplateError&) {
      }
    }
  } catch (const TemplateError&) {
  }
  return 0;
}

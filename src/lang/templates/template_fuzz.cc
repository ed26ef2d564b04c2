// A template as anybody may send it, with its parameters at their defaults: whatever it is, no more than an error comes
// of it. What is taken keeps its promises: resources come behind what they wait for, evaluation asks for no more than
// needs() says, and a template's document read again is the same.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "lang/templates/dynamic_reference.h"
#include "lang/templates/graph.h"
#include "lang/templates/parse.h"
#include "lang/templates/template_error.h"
#include "lang/templates/transform.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::templates;

void check(bool holds) {
  if (!holds) std::abort();
}

// Every answer is a string that functions may work on.
Known answers_to(const Needs& needs) {
  Known known;
  for (const std::string& name : needs.refs) known.refs[name] = "r-" + name;
  for (const Attribute& each : needs.attributes) known.attributes[each] = "a," + each.second;
  for (const std::string& name : needs.imports) known.imports[name] = "{{resolve:ssm:" + name + "}}";
  for (const OutputOfStack& each : needs.outputs) known.outputs[each] = "{{resolve:ssm:" + each.output + "}}";
  return known;
}

void evaluate(const Scope& scope, const json::Value& value) {
  const Needs needs = scope.needs(value);
  try {
    const json::Value result = scope.evaluate(value, answers_to(needs));
    for (const DynamicReference& each : dynamic_references(result)) check(!each.id.empty());
  } catch (const TemplateError&) {  // such as an index beyond a list
  }
}

void deploy(const json::Value& document, const Inputs& inputs) {
  const Template stack(document);
  const Scope scope(stack, inputs);
  check_rules(stack, inputs);
  const Graph graph(scope);
  std::set<std::string> made;
  for (const std::string& name : graph.order()) {
    for (const std::string& other : graph.dependencies(name)) check(made.contains(other));
    made.insert(name);
    evaluate(scope, json::Value(stack.resource(name)->properties));
  }
  for (const Output& output : stack.outputs()) {
    if (scope.is_active(output)) evaluate(scope, output.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    json::Value document = parse({reinterpret_cast<const char*>(data), size});
    const Template original = Template::of_original(document);
    Inputs inputs{.pseudo = {.account_id = "123456789012", .region = "us-east-1", .stack_id = "i", .stack_name = "n"},
                  .parameters = resolve_parameters(original.parameters(), {})};
    set_stored(original.parameters(), inputs.parameters, {{"/stored", "7"}});
    if (has_transforms(document)) {
      std::map<std::string, std::string, std::less<>> included;
      for (const std::string& location : include_locations(document, inputs)) included[location] = "Included: yes";
      document = transform(document, inputs, included);
    }
    check(json::equal(parse(json::write(document)), document));
    deploy(document, inputs);
  } catch (const TemplateError&) {
  }
  return 0;
}

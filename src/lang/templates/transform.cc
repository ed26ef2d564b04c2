#include "lang/templates/transform.h"

#include <algorithm>

#include "base/text.h"
#include "lang/serverless/serverless.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/extensions.h"
#include "lang/templates/include.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

bool mentions_transform(const json::Value& value) {
  if (value.is_array()) return std::ranges::any_of(value.array(), mentions_transform);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.object(), [](const json::Member& member) {
    return member.first == kTransform || mentions_transform(member.second);
  });
}

json::Value apply_serverless(const json::Value& document, const Inputs& inputs) {
  const Template original = Template::of_original(document);
  // What a value of the template is that needs no resources: nothing for those that do.
  const auto evaluate = [&](const json::Value& value) -> std::optional<json::Value> {
    static const Known kPartial{.partial = true};
    try {
      Evaluation evaluation(original, inputs, kPartial, Evaluation::Place::condition);
      auto result = evaluation.evaluate(value);
      const Needs& needs = evaluation.needs();
      if (!needs.empty()) return std::nullopt;
      return result;
    } catch (const TemplateError&) {
      return std::nullopt;
    }
  };
  try {
    return serverless::transform(document, evaluate);
  } catch (const serverless::Error& error) {
    throw TransformError(cat("Transform ", kServerlessTransform, " failed with: ", error.what()));
  }
}

}  // namespace

bool has_transforms(const json::Value& document) {
  return document.find("Transform") != nullptr || mentions_transform(document);
}

std::vector<std::string> include_locations(const json::Value& document, const Inputs& inputs) {
  return find_locations(document, inputs);
}

json::Value transform(const json::Value& document, const Inputs& inputs,
                      const std::map<std::string, std::string, std::less<>>& included) {
  const auto names = transforms_of(document);
  for (const std::string& name : names) {
    if (name != kIncludeTransform && name != kLanguageExtensionsTransform && name != kServerlessTransform) {
      throw TransformError(cat("No transform named ", name, " found."));
    }
  }
  json::Value out = include_all(document, inputs, included);
  out.object().erase("Transform");
  // In the order in which they stand; each goes over what the one before it made.
  for (const std::string& name : names) {
    if (name == kLanguageExtensionsTransform) out = apply_extensions(out, inputs);
    if (name == kServerlessTransform) out = apply_serverless(out, inputs);
  }
  if (json::write(out).size() > kProcessedBytesMax) {
    throw TransformError(cat("Template may not exceed ", kProcessedBytesMax, " bytes in size."));
  }
  return out;
}

}  // namespace tidemill::lang::templates

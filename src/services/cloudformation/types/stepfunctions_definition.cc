#include "services/cloudformation/types/stepfunctions_definition.h"

#include "lang/templates/parse.h"
#include "services/cloudformation/types/documents.h"

namespace tidemill::cloudformation {

namespace {

Task<std::string> stored_definition(Step& step, const json::Object& location) {
  json::Object request = take(location, {"Bucket", "Key", {"Version", "VersionId"}});
  const json::Value object = co_await step.call("s3", "GetObject", std::move(request));
  const std::string text = answered_text(object, "Body");
  if (json::parse(text)) co_return text;
  co_return json::write(lang::templates::parse(text));
}

}  // namespace

std::string substituted(std::string_view text, const json::Object& substitutions) {
  std::string result;
  size_t at = 0;
  for (;;) {
    const size_t open = text.find("${", at);
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return result.append(text.substr(at));
    const json::Value* value = substitutions.find(text.substr(open + 2, close - open - 2));
    result.append(text.substr(at, open - at));
    if (value) {
      result.append(scalar_text(*value).string());
      at = close + 1;
    } else {
      result.append("${");
      at = open + 2;
    }
  }
}

Task<std::string> state_machine_definition(Step& step, const json::Object& properties) {
  const json::Value* text = properties.find("DefinitionString");
  const json::Value* object = properties.find("Definition");
  const json::Value* location = properties.find("DefinitionS3Location");
  if ((text != nullptr) + (object != nullptr) + (location != nullptr) != 1) {
    throw InvalidRequest("Exactly one of DefinitionString, Definition and DefinitionS3Location must be given.");
  }
  const std::string definition = text     ? text->string()
                                 : object ? json_text(*object).string()
                                          : co_await stored_definition(step, location->object());
  co_return substituted(definition, object_of(properties, "DefinitionSubstitutions"));
}

}  // namespace tidemill::cloudformation

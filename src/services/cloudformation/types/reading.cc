#include "services/cloudformation/types/reading.h"

namespace tidemill::cloudformation {

Task<std::vector<std::string>> list_all(Step& step, std::string service, std::string operation, std::string list,
                                        std::string member, json::Object request) {
  std::vector<std::string> result;
  for (;;) {
    const json::Value answer = co_await step.call(service, operation, request);
    if (const json::Value* found = answer.find(list); found && found->is_array()) {
      for (const json::Value& one : found->array()) {
        const json::Value* id = member.empty() ? &one : one.find(member);
        if (id && id->is_string()) result.push_back(id->string());
      }
    }
    const json::Value* next = answer.find("NextToken");
    if (!next || !next->is_string() || next->string().empty()) co_return result;
    request.set("NextToken", *next);
  }
}

void set_tags(json::Object& properties, const json::Value* tags) {
  json::Array list;
  if (tags && tags->is_array()) list = tags->array();
  if (tags && tags->is_object()) {
    for (const auto& [key, value] : tags->object()) list.push_back(json::Object{{"Key", key}, {"Value", value}});
  }
  if (!list.empty()) properties.set("Tags", std::move(list));
}

}  // namespace tidemill::cloudformation

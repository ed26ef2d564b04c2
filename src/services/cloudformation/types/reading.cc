#include "services/cloudformation/types/reading.h"

#include <algorithm>

namespace tidemill::cloudformation {

Task<json::Array> all_pages(Step& step, std::string service, std::string operation, std::string list,
                            json::Object request, PageToken token) {
  json::Array result;
  for (;;) {
    const json::Value answer = co_await step.call(service, operation, request);
    if (const json::Value* found = answer.find(list); found && found->is_array()) {
      for (const json::Value& one : found->array()) result.push_back(one);
    }
    const json::Value* next = answer.find(token.answer);
    if (!next || !next->is_string() || next->string().empty()) co_return result;
    request.set(token.request, *next);
  }
}

Task<std::vector<std::string>> list_all(Step& step, std::string service, std::string operation, std::string list,
                                        std::string member, json::Object request, PageToken token) {
  std::vector<std::string> result;
  const json::Array elements = co_await all_pages(step, std::move(service), std::move(operation), std::move(list),
                                                  std::move(request), std::move(token));
  for (const json::Value& one : elements) {
    const json::Value* id = member.empty() ? &one : one.find(member);
    if (id && id->is_string()) result.push_back(id->string());
  }
  co_return result;
}

json::Object properties_among(std::span<const Property> table, const json::Object& answer) {
  json::Object result;
  for (const Property& property : table) {
    const json::Value* value = answer.find(property.name);
    const bool is_empty = !value || value->is_null() || (value->is_array() && value->array().empty()) ||
                          (value->is_string() && value->string().empty());
    if (!is_empty) result.set(std::string(property.name), *value);
  }
  return result;
}

void set_tags(json::Object& properties, const json::Value* tags) {
  json::Array list;
  if (tags && tags->is_array()) list = tags->array();
  if (tags && tags->is_object()) {
    for (const auto& [key, value] : tags->object()) list.push_back(json::Object{{"Key", key}, {"Value", value}});
  }
  if (!list.empty()) properties.set("Tags", std::move(list));
}

json::Value property_of_text(std::span<const Property> table, std::string_view name, const std::string& text) {
  const auto found = std::ranges::find(table, name, &Property::name);
  if (found == table.end() || found->kind == Kind::string) return text;
  const auto parsed = json::parse(text);
  return parsed ? *parsed : json::Value(text);
}

json::Value document_of_text(const json::Object& from, std::string_view name) {
  const json::Value* text = from.find(name);
  if (!text || !text->is_string()) return {};
  auto parsed = json::parse(text->string());
  return parsed ? *std::move(parsed) : json::Value();
}

}  // namespace tidemill::cloudformation

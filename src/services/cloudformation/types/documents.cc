#include "services/cloudformation/types/documents.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

json::Object take(const json::Object& from, std::initializer_list<MemberName> names) {
  json::Object result;
  for (const MemberName& name : names) copy_member(result, from, name.property, name.member);
  return result;
}

void set_removed(json::Object& document, const json::Object& before, std::initializer_list<MemberDefault> defaults) {
  for (const MemberDefault& one : defaults) {
    if (before.find(one.member) && !document.find(one.member)) document.set(std::string(one.member), one.value);
  }
}

bool differ(const json::Object& before, const json::Object& after, std::initializer_list<std::string_view> names) {
  return !std::ranges::all_of(names, [&](std::string_view name) { return same_member(before, after, name); });
}

bool is_true(const json::Object& from, std::string_view name) {
  const json::Value* value = from.find(name);
  return value && value->is_boolean() && value->boolean();
}

std::string text_or(const json::Object& from, std::string_view name, std::string_view otherwise) {
  std::string text = text_of(from, name);
  return text.empty() ? std::string(otherwise) : text;
}

std::string answered_text(const json::Value& answer, std::string_view name) {
  const json::Value* value = answer.find(name);
  if (!value || !value->is_string()) throw std::runtime_error(base::cat("an answer has no text ", name));
  return value->string();
}

json::Value answered(const json::Value& answer, std::string_view name) {
  const json::Value* value = answer.find(name);
  return value ? *value : json::Value();
}

std::vector<std::string> texts_of(const json::Object& from, std::string_view name) {
  std::vector<std::string> result;
  for (const json::Value& item : list_of(from, name)) {
    if (item.is_string()) result.push_back(item.string());
  }
  return result;
}

json::Object object_of(const json::Object& from, std::string_view name) {
  const json::Value* value = from.find(name);
  return value && value->is_object() ? value->object() : json::Object();
}

json::Array list_of(const json::Object& from, std::string_view name) {
  const json::Value* value = from.find(name);
  return value && value->is_array() ? value->array() : json::Array();
}

json::Value json_text(const json::Value& value) { return value.is_string() ? value : json::Value(json::write(value)); }

void make_json_text(json::Object& document, std::string_view name) {
  if (json::Value* value = document.find(name)) *value = json_text(*value);
}

json::Value scalar_text(const json::Value& value) {
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_number()) return value.number_text();
  return json_text(value);
}

}  // namespace tidemill::cloudformation

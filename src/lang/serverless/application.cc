#include "lang/serverless/application.h"

#include <algorithm>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr std::string_view kCreatedBySam = "SAM";
constexpr size_t kHashDigits = 10;

// JSON with members in the order of their names.
void append_sorted(std::string& out, const json::Value& value) {
  if (value.is_array()) {
    out.push_back('[');
    for (const json::Value& element : value.array()) {
      if (out.back() != '[') out.push_back(',');
      append_sorted(out, element);
    }
    out.push_back(']');
  } else if (value.is_object()) {
    std::map<std::string_view, const json::Value*> members;
    for (const auto& [name, member] : value.object()) members.emplace(name, &member);
    out.push_back('{');
    for (const auto& [name, member] : members) {
      if (out.back() != '{') out.push_back(',');
      json::append_string(out, name);
      out.push_back(':');
      append_sorted(out, *member);
    }
    out.push_back('}');
  } else {
    json::append(out, value);
  }
}

}  // namespace

void Application::add(const Source& source, std::string id, std::string_view type, json::Object properties) {
  static constexpr auto kShared =
      std::to_array<std::string_view>({"Condition", "DeletionPolicy", "UpdateReplacePolicy"});
  static constexpr auto kTagged =
      std::to_array<std::string_view>({"AWS::IAM::Role", "AWS::SNS::Topic", "AWS::SQS::Queue"});
  json::Object resource{{"Type", type}};
  copy_members(resource, source.attributes, kShared);
  const json::Value* tags = is_true(*this, source.find("PropagateTags")) ? source.find("Tags") : nullptr;
  if (tags != nullptr && properties.find("Tags") == nullptr && std::ranges::find(kTagged, type) != kTagged.end()) {
    properties.set("Tags", plain_tags(tags));
  }
  resource.set("Properties", std::move(properties));
  if (resources_.find(id) != nullptr)
    throw ResourceError(cat("The logical ID [", id, "] is taken by another resource."));
  resources_.set(std::move(id), std::move(resource));
}

void Application::add_main(const Source& source, std::string id, std::string_view type, json::Object properties) {
  json::Object resource{{"Type", type}};
  for (const auto& [name, attribute] : source.attributes) resource.set(name, attribute);
  resource.set("Properties", std::move(properties));
  resources_.set(std::move(id), std::move(resource));
}

void Application::set_attribute(const std::string& id, std::string name, json::Value value) {
  resources_.find(id)->object().set(std::move(name), std::move(value));
}

json::Value Application::as_far_as_known(const json::Value& value) const {
  if (auto known = evaluate(value)) return *std::move(known);
  json::Value result = value;
  if (result.is_array()) {
    for (json::Value& element : result.array()) element = as_far_as_known(element);
  } else if (result.is_object()) {
    for (auto& [name, member] : result.object()) member = as_far_as_known(member);
  }
  return result;
}

json::Value ref_to(std::string_view id) { return json::Object{{"Ref", id}}; }
json::Value get_att(std::string_view id, std::string_view attribute) {
  return json::Object{{"Fn::GetAtt", json::Array{id, attribute}}};
}
json::Value sub(std::string_view text) { return json::Object{{"Fn::Sub", text}}; }

void set_if(json::Object& object, std::string_view name, const json::Value* value) {
  if (value != nullptr) object.set(std::string(name), *value);
}

void copy_members(json::Object& to, const json::Object& from, std::span<const std::string_view> names) {
  for (const std::string_view name : names) set_if(to, name, from.find(name));
}

void check_known(const Source& source, std::string_view type,
                 std::initializer_list<std::span<const std::string_view>> known) {
  for (const auto& [name, value] : source.properties) {
    const bool is_known = std::ranges::any_of(
        known, [&](std::span<const std::string_view> names) { return std::ranges::find(names, name) != names.end(); });
    if (!is_known) throw ResourceError(cat("property ", name, " not defined for resource of type ", type));
  }
}

std::string text_of(const Application& application, const json::Value& value, std::string_view what) {
  const auto known = application.evaluate(value);
  if (!known || !known->is_string() || known->string().empty()) {
    throw ResourceError(cat("'", what, "' must be a string or a Ref to a template parameter"));
  }
  return known->string();
}

bool is_true(const Application& application, const json::Value* value) {
  if (value == nullptr) return false;
  const auto known = application.evaluate(*value);
  return known && ((known->is_boolean() && known->boolean()) || (known->is_string() && known->string() == "true"));
}

json::Array plain_tags(const json::Value* tags) {
  json::Array list;
  if (tags == nullptr) return list;
  if (!tags->is_object()) throw ResourceError("Type of property 'Tags' is invalid.");
  for (const auto& [key, value] : tags->object()) list.emplace_back(json::Object{{"Key", key}, {"Value", value}});
  return list;
}

json::Value tag_list(const json::Value* tags, std::string_view own_key) {
  json::Array list = plain_tags(tags);
  list.insert(list.begin(), json::Object{{"Key", own_key}, {"Value", kCreatedBySam}});
  return list;
}

std::string short_hash(const json::Value& value) {
  std::string text;
  append_sorted(text, value);
  return base::hex_of(crypto::sha1(text)).substr(0, kHashDigits);
}

json::Object location_of(const Application& application, const json::Value& value, std::string_view property,
                         std::array<std::string_view, 3> names) {
  const auto invalid = [&](std::string_view why) { return ResourceError(cat("'", property, "' ", why)); };
  const json::Value given = application.evaluated_or(value);
  json::Object location;
  if (given.is_string()) {
    constexpr std::string_view kScheme = "s3://";
    const std::string_view text = given.string();
    const size_t slash = text.find('/', kScheme.size());
    if (!text.starts_with(kScheme) || slash == std::string_view::npos || slash + 1 == text.size()) {
      throw invalid("is not a valid S3 Uri of the form 's3://bucket/key' with optional versionId query parameter.");
    }
    const size_t query = std::min(text.find("?versionId="), text.size());
    location.set(std::string(names[0]), text.substr(kScheme.size(), slash - kScheme.size()));
    location.set(std::string(names[1]), text.substr(slash + 1, query - slash - 1));
    if (query < text.size())
      location.set(std::string(names[2]), text.substr(query + std::string_view("?versionId=").size()));
    return location;
  }
  const json::Value* bucket = given.find("Bucket");
  const json::Value* key = given.find("Key");
  if (bucket == nullptr || key == nullptr) throw invalid("requires Bucket and Key properties to be specified.");
  location.set(std::string(names[0]), *bucket);
  location.set(std::string(names[1]), *key);
  set_if(location, names[2], given.find("Version"));
  return location;
}

}  // namespace tidemill::lang::serverless

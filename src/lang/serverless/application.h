// Inside: the application while it is transformed, and one of its resources.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "lang/serverless/serverless.h"

namespace tidemill::lang::serverless {

// What is wrong with one resource; transform() collects these.
class ResourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a resource of the template says, Globals merged in.
struct Source {
  std::string id;
  json::Object attributes;  // of the resource but for Type and Properties: Condition, DependsOn, Metadata, …
  json::Object properties;

  [[nodiscard]] const json::Value* find(std::string_view name) const { return properties.find(name); }
};

class Application {
 public:
  Application(json::Object resources, const Evaluate& evaluate)
      : resources_(std::move(resources)), evaluate_(evaluate) {}

  // Adds a resource that `source` makes; its condition and what becomes of it in the end hold for this one, too, and its
  // tags if it propagates them.
  void add(const Source& source, std::string id, std::string_view type, json::Object properties);
  // Adds the one that stands in its place, with all of its attributes.
  void add_main(const Source& source, std::string id, std::string_view type, json::Object properties);
  // An attribute of a resource that was added.
  void set_attribute(const std::string& id, std::string name, json::Value value);

  // A resource of the template, or one that was added; null: there is none.
  [[nodiscard]] json::Value* find(std::string_view id) { return resources_.find(id); }

  // From now on, what refers to `from` ("Layer", "Function.Alias") means `to`.
  void rename(std::string from, std::string to) { renamed_[std::move(from)] = std::move(to); }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& renamed() const { return renamed_; }

  // The value with what is known of it, if that is all.
  [[nodiscard]] std::optional<json::Value> evaluate(const json::Value& value) const { return evaluate_(value); }
  // The same, or the value itself.
  [[nodiscard]] json::Value evaluated_or(const json::Value& value) const { return evaluate_(value).value_or(value); }

  // The same of each part of it that is known.
  [[nodiscard]] json::Value as_far_as_known(const json::Value& value) const;

  [[nodiscard]] json::Object& resources() { return resources_; }

 private:
  json::Object resources_;
  const Evaluate& evaluate_;
  std::map<std::string, std::string, std::less<>> renamed_;
};

// ---- Values ----

[[nodiscard]] json::Value ref_to(std::string_view id);
[[nodiscard]] json::Value get_att(std::string_view id, std::string_view attribute);
[[nodiscard]] json::Value sub(std::string_view text);
// Sets a member if there is a value.
void set_if(json::Object& object, std::string_view name, const json::Value* value);
// Copies the members of these names, as far as they are there.
void copy_members(json::Object& to, const json::Object& from, std::span<const std::string_view> names);
// Throws ResourceError for a member that is in neither list: "property X not defined for resource of type T".
void check_known(const Source& source, std::string_view type,
                 std::initializer_list<std::span<const std::string_view>> known);
// A string that must be there; functions in it are evaluated.
[[nodiscard]] std::string text_of(const Application& application, const json::Value& value, std::string_view what);
[[nodiscard]] bool is_true(const Application& application, const json::Value* value);
// Tags as a map become a list; null: an empty one.
[[nodiscard]] json::Array plain_tags(const json::Value* tags);
// The same with SAM's own as the first.
[[nodiscard]] json::Value tag_list(const json::Value* tags, std::string_view own_key);
// The first ten hexadecimal digits of a value's digest, its members in the order of their names.
[[nodiscard]] std::string short_hash(const json::Value& value);

// "s3://bucket/key", or an object with Bucket, Key and Version, as an object with these three names.
[[nodiscard]] json::Object location_of(const Application& application, const json::Value& value,
                                       std::string_view property, std::array<std::string_view, 3> names);

}  // namespace tidemill::lang::serverless

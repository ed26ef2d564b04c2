// What most types do with their properties on the way to an operation's document: take some, name some otherwise, say
// what becomes of those that are taken away, make text of policies. Nothing here calls anybody.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::cloudformation {

// How a property is called in an operation: {"KmsKeyArn", "KMSKeyArn"}, or by the same name.
struct MemberName {
  std::string_view property;
  std::string_view member;

  MemberName(const char* both) : property(both), member(both) {}
  MemberName(std::string_view of_property, std::string_view of_member) : property(of_property), member(of_member) {}
};

// Those of the members that are there.
[[nodiscard]] json::Object take(const json::Object& from, std::initializer_list<MemberName> names);

// What a member becomes when its property is taken away, for operations to which an absent member means no change.
struct MemberDefault {
  std::string_view member;
  json::Value value;
};
// Sets the defaults of members that `before` has and `document` has not; both have the operation's names.
void set_removed(json::Object& document, const json::Object& before, std::initializer_list<MemberDefault> defaults);

// Whether any of these members differs.
[[nodiscard]] bool differ(const json::Object& before, const json::Object& after,
                          std::initializer_list<std::string_view> names);

// Whether a member is the boolean true.
[[nodiscard]] bool is_true(const json::Object& from, std::string_view name);
// The member's text if there is one, else `otherwise`.
[[nodiscard]] std::string text_or(const json::Object& from, std::string_view name, std::string_view otherwise);
// The text of a member of an answer. Throws std::runtime_error if it has none: an operation that answers so is broken.
[[nodiscard]] std::string answered_text(const json::Value& answer, std::string_view name);
// The member of an answer; null if it has none.
[[nodiscard]] json::Value answered(const json::Value& answer, std::string_view name);
// A list of strings; empty if it is not there.
[[nodiscard]] std::vector<std::string> texts_of(const json::Object& from, std::string_view name);
// An object that is a member; empty if it is not there.
[[nodiscard]] json::Object object_of(const json::Object& from, std::string_view name);
// A list that is a member; empty if it is not there.
[[nodiscard]] json::Array list_of(const json::Object& from, std::string_view name);

// JSON text of what a template gives as an object or as text: policies, patterns, definitions.
[[nodiscard]] json::Value json_text(const json::Value& value);
// The same of a member, in its place, if it is there.
void make_json_text(json::Object& document, std::string_view name);

// Scalars as the texts that attributes of queues and topics are: true is "true", 5 is "5"; an object is its JSON.
[[nodiscard]] json::Value scalar_text(const json::Value& value);

}  // namespace tidemill::cloudformation

// What types share that can be read (ResourceType::read).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// How the pages of a list hang together: the member of an answer that the next request has.
struct PageToken {
  std::string answer = "NextToken";
  std::string request = "NextToken";
};

// The elements of all pages of a list.
Task<json::Array> all_pages(Step& step, std::string service, std::string operation, std::string list,
                            json::Object request = {}, PageToken token = {});
// Of all pages of a list: a member of each of its elements, or, if that is empty, the elements themselves.
Task<std::vector<std::string>> list_all(Step& step, std::string service, std::string operation, std::string list,
                                        std::string member, json::Object request = {}, PageToken token = {});

// The members of an answer that are properties by their own names, but for what is empty.
[[nodiscard]] json::Object properties_among(std::span<const Property> table, const json::Object& answer);

// Puts [{Key, Value}] under "Tags", from such a list or from a map, unless there are none.
void set_tags(json::Object& properties, const json::Value* tags);

// The property of this name, of an attribute that is text ("5", "true"), in the form that the table says.
[[nodiscard]] json::Value property_of_text(std::span<const Property> table, std::string_view name, const std::string& text);

// A document that an answer has as text, such as a policy; null if it is none.
[[nodiscard]] json::Value document_of_text(const json::Object& from, std::string_view name);

}  // namespace tidemill::cloudformation

// Tags of resources that stand already: what a change of their own and of the stack's tags comes to, in the words of
// the service's operations.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

enum class TagForm { list, map };

// The operations by which a service changes tags.
struct TagOperations {
  std::string_view service;
  std::string_view tag;              // "TagResource"
  std::string_view untag;            // "UntagResource"
  std::string_view resource_member;  // "ResourceArn"
  std::string_view tags_member = "Tags";
  std::string_view keys_member = "TagKeys";
  TagForm form = TagForm::list;
};

// Sets what is new or other, and removes what is gone. `resource` is what the resource member wants.
Task<void> change_tags(Step& step, const TagOperations& operations, std::string resource, const json::Object& before,
                       const json::Object& after);

// The same in two parts, for services with more members: tags that are new or other as [{Key, Value}] or a map, and the
// keys that are gone.
struct TagChange {
  json::Object set;
  json::Array gone;
};
[[nodiscard]] TagChange tag_change(const Step& step, const json::Object& before, const json::Object& after);
[[nodiscard]] json::Array as_tag_list(const json::Object& tags);

}  // namespace tidemill::cloudformation

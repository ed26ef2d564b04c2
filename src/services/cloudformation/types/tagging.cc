#include "services/cloudformation/types/tagging.h"

namespace tidemill::cloudformation {

json::Array as_tag_list(const json::Object& tags) {
  json::Array result;
  for (const auto& [key, value] : tags) result.push_back(json::Object{{"Key", key}, {"Value", value}});
  return result;
}

TagChange tag_change(const Step& step, const json::Object& before, const json::Object& after) {
  const json::Object old_tags = previous_tag_map(step, before);
  const json::Object new_tags = tag_map(step, after);
  TagChange change;
  for (const auto& [key, value] : new_tags) {
    if (!same_member(old_tags, new_tags, key)) change.set.set(key, value);
  }
  change.gone = keys_gone(old_tags, new_tags);
  return change;
}

Task<void> change_tags(Step& step, const TagOperations& operations, std::string resource, const json::Object& before,
                       const json::Object& after) {
  TagChange change = tag_change(step, before, after);
  if (!change.gone.empty()) {
    json::Object request{{std::string(operations.resource_member), resource}};
    request.set(std::string(operations.keys_member), std::move(change.gone));
    co_await step.take_away(std::string(operations.service), std::string(operations.untag), std::move(request));
  }
  if (!change.set.empty()) {
    json::Object request{{std::string(operations.resource_member), resource}};
    request.set(std::string(operations.tags_member), operations.form == TagForm::map
                                                         ? json::Value(std::move(change.set))
                                                         : json::Value(as_tag_list(change.set)));
    co_await step.call(std::string(operations.service), std::string(operations.tag), std::move(request));
  }
}

}  // namespace tidemill::cloudformation

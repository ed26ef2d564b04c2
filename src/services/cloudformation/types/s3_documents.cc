// Rules of lifecycles and notifications: where CloudFormation's form differs most from S3's.
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/s3_configurations.h"

namespace tidemill::cloudformation {

namespace {

// One condition stands alone, several below And.
json::Object lifecycle_filter(const json::Object& rule) {
  const json::Array tags = list_of(rule, "TagFilters");
  json::Object conditions = take(rule, {"Prefix", "ObjectSizeGreaterThan", "ObjectSizeLessThan"});
  if (conditions.size() + tags.size() > 1) {
    if (!tags.empty()) conditions.set("Tags", tags);
    return json::Object{{"And", std::move(conditions)}};
  }
  if (!tags.empty()) return json::Object{{"Tag", tags.front()}};
  if (conditions.empty()) conditions.set("Prefix", "");
  return conditions;
}

json::Value transition_document(const json::Value& transition) {
  if (!transition.is_object()) return transition;
  return take(transition.object(),
              {"StorageClass", {"TransitionDate", "Date"}, {"TransitionInDays", "Days"}, "NewerNoncurrentVersions"});
}

// Singular and plural of a property; S3 itself says that there are no transitions.
void copy_transitions(json::Object& to, const json::Object& rule, std::string_view one, std::string_view many) {
  json::Array all;
  for (const json::Value& transition : list_of(rule, many)) all.push_back(transition_document(transition));
  if (const json::Value* transition = rule.find(one)) all.push_back(transition_document(*transition));
  if (!all.empty()) to.set(std::string(many), std::move(all));
}

json::Object lifecycle_rule(const json::Object& rule) {
  json::Object result =
      take(rule, {{"Id", "ID"}, "Status", "AbortIncompleteMultipartUpload", "NoncurrentVersionExpiration"});
  result.set("Filter", lifecycle_filter(rule));
  json::Object expiration =
      take(rule, {{"ExpirationDate", "Date"}, {"ExpirationInDays", "Days"}, "ExpiredObjectDeleteMarker"});
  if (!expiration.empty()) result.set("Expiration", std::move(expiration));
  if (const json::Value* days = rule.find("NoncurrentVersionExpirationInDays")) {
    result.set("NoncurrentVersionExpiration", json::Object{{"NoncurrentDays", *days}});
  }
  copy_transitions(result, rule, "Transition", "Transitions");
  copy_transitions(result, rule, "NoncurrentVersionTransition", "NoncurrentVersionTransitions");
  return result;
}

json::Array notifications_to(const json::Object& configuration, std::string_view property, std::string_view target,
                             std::string_view target_member) {
  json::Array result;
  for (const json::Value& one : list_of(configuration, property)) {
    json::Object notification{{std::string(target_member), text_of(one.object(), target)},
                              {"Events", json::Array{text_of(one.object(), "Event")}}};
    const json::Object key = object_of(object_of(one.object(), "Filter"), "S3Key");
    if (!key.empty()) {
      notification.set("Filter", json::Object{{"Key", json::Object{{"FilterRules", list_of(key, "Rules")}}}});
    }
    result.push_back(std::move(notification));
  }
  return result;
}

}  // namespace

json::Object lifecycle_rules(const json::Object& configuration) {
  json::Array rules;
  for (const json::Value& rule : list_of(configuration, "Rules")) rules.push_back(lifecycle_rule(rule.object()));
  return json::Object{{"Rules", std::move(rules)}};
}

json::Object bucket_notifications(const json::Object& configuration) {
  json::Object result{
      {"LambdaFunctionConfigurations",
       notifications_to(configuration, "LambdaConfigurations", "Function", "LambdaFunctionArn")},
      {"QueueConfigurations", notifications_to(configuration, "QueueConfigurations", "Queue", "QueueArn")},
      {"TopicConfigurations", notifications_to(configuration, "TopicConfigurations", "Topic", "TopicArn")},
  };
  if (is_true(object_of(configuration, "EventBridgeConfiguration"), "EventBridgeEnabled")) {
    result.set("EventBridgeConfiguration", json::Object());
  }
  return result;
}

}  // namespace tidemill::cloudformation

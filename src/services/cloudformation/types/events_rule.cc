// AWS::Events::Rule with its targets.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kRuleNameSizeMax = 64;
constexpr std::string_view kDefaultBus = "default";

constexpr Property kRuleDeadLetterConfig[] = {
    {.name = "Arn"},
};

constexpr Property kRuleHttpParameters[] = {
    {.name = "HeaderParameters", .form = Form::map},
    {.name = "PathParameterValues", .form = Form::list},
    {.name = "QueryStringParameters", .form = Form::map},
};

constexpr Property kRuleInputTransformer[] = {
    {.name = "InputPathsMap", .form = Form::map},
    {.name = "InputTemplate", .required = true},
};

constexpr Property kRuleKinesisParameters[] = {
    {.name = "PartitionKeyPath", .required = true},
};

constexpr Property kRuleRetryPolicy[] = {
    {.name = "MaximumEventAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
};

constexpr Property kRuleSqsParameters[] = {
    {.name = "MessageGroupId", .required = true},
};

constexpr Property kRuleTarget[] = {
    {.name = "AppSyncParameters", .kind = Kind::json},
    {.name = "Arn", .required = true},
    {.name = "BatchParameters", .kind = Kind::json},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kRuleDeadLetterConfig},
    {.name = "EcsParameters", .kind = Kind::json},
    {.name = "HttpParameters", .kind = Kind::object, .members = kRuleHttpParameters},
    {.name = "Id", .required = true},
    {.name = "Input"},
    {.name = "InputPath"},
    {.name = "InputTransformer", .kind = Kind::object, .members = kRuleInputTransformer},
    {.name = "KinesisParameters", .kind = Kind::object, .members = kRuleKinesisParameters},
    {.name = "RedshiftDataParameters", .kind = Kind::json},
    {.name = "RetryPolicy", .kind = Kind::object, .members = kRuleRetryPolicy},
    {.name = "RoleArn"},
    {.name = "RunCommandParameters", .kind = Kind::json},
    {.name = "SageMakerPipelineParameters", .kind = Kind::json},
    {.name = "SqsParameters", .kind = Kind::object, .members = kRuleSqsParameters},
};

constexpr Property kRuleProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "Description"},
    {.name = "EventBusName", .update = Update::replaces},
    {.name = "EventPattern", .kind = Kind::json},
    {.name = "RoleArn"},
    {.name = "ScheduleExpression"},
    {.name = "State"},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "Targets", .kind = Kind::object, .form = Form::list, .members = kRuleTarget},
};

constexpr TagOperations kRuleTags = {
    .service = "events", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceARN"};

// A rule's name and its bus, "BUS|RULE" or, on the default bus, "RULE".
struct RulePlace {
  std::string bus;
  std::string name;

  [[nodiscard]] std::string id() const { return bus == kDefaultBus ? name : cat(bus, '|', name); }
  [[nodiscard]] std::string resource() const {
    return bus == kDefaultBus ? cat("rule/", name) : cat("rule/", bus, '/', name);
  }
  [[nodiscard]] json::Object request(std::string_view name_member) const {
    return json::Object{{std::string(name_member), name}, {"EventBusName", bus}};
  }
};

RulePlace rule_of_id(const std::string& id) {
  const size_t bar = id.find('|');
  if (bar == std::string::npos) return {std::string(kDefaultBus), id};
  return {id.substr(0, bar), id.substr(bar + 1)};
}

// Buses are given by name or ARN.
std::string bus_of_rule(const json::Object& properties) {
  const std::string given = text_or(properties, "EventBusName", kDefaultBus);
  return given.substr(given.rfind('/') + 1);
}

Task<void> put_rule(Step& step, RulePlace place, const json::Object& properties, bool is_new) {
  json::Object request = take(properties, {"Description", "EventPattern", "RoleArn", "ScheduleExpression", "State"});
  make_json_text(request, "EventPattern");
  request.set("Name", place.name);
  request.set("EventBusName", place.bus);
  if (is_new) request.set("Tags", tag_list(step, properties));
  co_await step.call("events", "PutRule", std::move(request));
}

void check_entries(const json::Value& answer) {
  for (const json::Value& failed : list_of(answer.object(), "FailedEntries")) {
    throw InvalidRequest(cat(text_of(failed.object(), "TargetId"), ": ", text_of(failed.object(), "ErrorMessage")));
  }
}

Task<void> put_targets(Step& step, RulePlace place, const json::Object& properties) {
  json::Array targets = list_of(properties, "Targets");
  if (targets.empty()) co_return;
  json::Object request = place.request("Rule");
  request.set("Targets", std::move(targets));
  check_entries(co_await step.call("events", "PutTargets", std::move(request)));
}

Task<void> remove_targets(Step& step, RulePlace place, json::Array ids) {
  if (ids.empty()) co_return;
  json::Object request = place.request("Rule");
  request.set("Ids", std::move(ids));
  // Entries that fail were gone already.
  co_await step.take_away("events", "RemoveTargets", std::move(request), {"ResourceNotFoundException"});
}

json::Array ids_of_targets(const json::Object& properties) {
  json::Array ids;
  for (const json::Value& target : list_of(properties, "Targets")) {
    std::string id = text_of(target.object(), "Id");
    const bool is_new = std::ranges::none_of(ids, [&](const json::Value& one) { return one.string() == id; });
    if (is_new) ids.push_back(std::move(id));
  }
  return ids;
}

Task<std::string> create_rule(Step& step, const json::Object& properties) {
  RulePlace place{bus_of_rule(properties), text_of(properties, "Name")};
  if (place.name.empty()) {
    place.name = step.physical_name(kRuleNameSizeMax);
  } else {
    co_await claim(step, place.id(), {"events", "DescribeRule", place.request("Name"), {"ResourceNotFoundException"}});
  }
  co_await put_rule(step, place, properties, true);
  co_await step.made(place.id());
  co_await put_targets(step, place, properties);
  co_return place.id();
}

Task<std::string> update_rule(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  const RulePlace place = rule_of_id(id);
  co_await put_rule(step, place, after, false);
  json::Array gone = ids_of_targets(before);
  const json::Array left = ids_of_targets(after);
  std::erase_if(gone, [&](const json::Value& target) {
    return std::ranges::any_of(left, [&](const json::Value& one) { return one.string() == target.string(); });
  });
  co_await remove_targets(step, place, std::move(gone));
  co_await put_targets(step, place, after);
  co_await change_tags(step, kRuleTags, step.arn("events", place.resource()), before, after);
  co_return id;
}

Task<void> remove_rule(Step& step, std::string id, const json::Object& properties) {
  const RulePlace place = rule_of_id(id);
  co_await remove_targets(step, place, ids_of_targets(properties));
  co_await step.call_or_null("events", "DeleteRule", place.request("Name"), {"ResourceNotFoundException"});
}

Task<json::Object> describe_rule(Step& step, std::string id, const json::Object&) {
  const RulePlace place = rule_of_id(id);
  co_return json::Object{{"Arn", step.arn("events", place.resource())}, {"RuleName", place.name}};
}

Task<json::Object> read_rule(Step& step, std::string id) {
  const RulePlace place = rule_of_id(id);
  const json::Value found = co_await step.call("events", "DescribeRule", place.request("Name"));
  json::Object result =
      take(found.object(), {"Name", "EventBusName", "Description", "RoleArn", "ScheduleExpression", "State"});
  if (json::Value pattern = document_of_text(found.object(), "EventPattern"); !pattern.is_null()) {
    result.set("EventPattern", std::move(pattern));
  }
  json::Array targets = co_await all_pages(step, "events", "ListTargetsByRule", "Targets", place.request("Rule"));
  if (!targets.empty()) result.set("Targets", std::move(targets));
  const json::Value tags = co_await step.call("events", "ListTagsForResource",
                                              json::Object{{"ResourceARN", step.arn("events", place.resource())}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_rules(Step& step) {
  std::vector<std::string> result;
  for (const std::string& bus : co_await list_all(step, "events", "ListEventBuses", "EventBuses", "Name")) {
    const auto names = co_await list_all(step, "events", "ListRules", "Rules", "Name", json::Object{{"EventBusName", bus}});
    for (const std::string& name : names) result.push_back(RulePlace{bus, name}.id());
  }
  co_return result;
}

std::string arn_of_rule(const Step& step, std::string id) { return step.arn("events", rule_of_id(id).resource()); }

// "…:rule/NAME", "…:rule/BUS/NAME".
std::string id_of_rule(std::string arn) {
  constexpr std::string_view kMark = ":rule/";
  const size_t mark = arn.find(kMark);
  if (mark == std::string::npos) throw InvalidRequest(cat("Identifier ", arn, " is not valid for identifier [/properties/Arn]"));
  const std::string path = arn.substr(mark + kMark.size());
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path;
  return RulePlace{path.substr(0, slash), path.substr(slash + 1)}.id();
}

}  // namespace

const ResourceType types::kEventsRule = {
    .name = "AWS::Events::Rule",
    .properties = kRuleProperties,
    .create = create_rule,
    .update = update_rule,
    .remove = remove_rule,
    .attributes = describe_rule,
    .read = read_rule,
    .identifier_of = arn_of_rule,
    .id_of = id_of_rule,
    .list = list_rules,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation

#include "services/cloudformation/types/dynamodb_changes.h"

#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"

namespace tidemill::cloudformation {

namespace {

using base::cat;

// An index over many items is filled for hours; AWS waits as long.
constexpr std::chrono::hours kTableSettlesMax{24};

constexpr TagOperations kTableTags = {
    .service = "dynamodb", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

json::Object encryption_of(const json::Object& specification) {
  return take(specification, {{"SSEEnabled", "Enabled"}, "SSEType", "KMSMasterKeyId"});
}

json::Array indexes_of(const json::Object& properties) {
  json::Array result;
  for (const json::Value& index : list_of(properties, "GlobalSecondaryIndexes")) {
    json::Object one = index.object();
    one.erase("ContributorInsightsSpecification");
    result.push_back(std::move(one));
  }
  return result;
}

const json::Value* find_index(const json::Array& indexes, std::string_view name) {
  const auto found =
      std::ranges::find_if(indexes, [&](const json::Value& one) { return text_of(one.object(), "IndexName") == name; });
  return found == indexes.end() ? nullptr : &*found;
}

Task<json::Value> found_table(Step& step, std::string name) {
  const json::Value answer = co_await step.call_or_null("dynamodb", "DescribeTable", json::Object{{"TableName", name}},
                                                        {"ResourceNotFoundException"});
  co_return answered(answer, "Table");
}

Task<bool> table_is_active(Step& step, std::string name) {
  const json::Value answer = co_await step.call("dynamodb", "DescribeTable", json::Object{{"TableName", name}});
  const json::Value table = answered(answer, "Table");
  if (text_of(table.object(), "TableStatus") != "ACTIVE") co_return false;
  co_return std::ranges::all_of(list_of(table.object(), "GlobalSecondaryIndexes"), [](const json::Value& index) {
    return text_of(index.object(), "IndexStatus") == "ACTIVE";
  });
}

Task<bool> table_is_gone(Step& step, std::string name) { co_return (co_await found_table(step, name)).is_null(); }

Task<void> update_and_wait(Step& step, std::string name, json::Object request) {
  request.set("TableName", name);
  co_await step.call("dynamodb", "UpdateTable", std::move(request));
  co_await await_table(step, name);
}

// ---- UpdateTable, a part at a time ----

// Throughput of indexes that stay.
json::Array index_settings(const json::Object& before, const json::Object& after) {
  const bool other_mode = !same_member(before, after, "BillingMode");
  const json::Array old_indexes = indexes_of(before);
  json::Array updates;
  for (const json::Value& index : indexes_of(after)) {
    const json::Value* old_index = find_index(old_indexes, text_of(index.object(), "IndexName"));
    if (!old_index) continue;
    json::Object update = take(index.object(), {"ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"});
    const bool differs = other_mode || differ(old_index->object(), index.object(),
                                              {"ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"});
    // It can only be raised.
    if (same_member(old_index->object(), index.object(), "WarmThroughput")) update.erase("WarmThroughput");
    if (!differs || update.empty()) continue;
    copy_member(update, index.object(), "IndexName");
    updates.push_back(json::Object{{"Update", std::move(update)}});
  }
  return updates;
}

Task<void> change_settings(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  const json::Object old_table = table_description(before), new_table = table_description(after);
  json::Object request;
  for (const std::string_view member :
       {"BillingMode", "ProvisionedThroughput", "OnDemandThroughput", "SSESpecification", "TableClass",
        "DeletionProtectionEnabled", "WarmThroughput"}) {
    if (!same_member(old_table, new_table, member)) copy_member(request, new_table, member);
  }
  if (request.find("BillingMode")) copy_member(request, new_table, "ProvisionedThroughput");
  json::Object taken_away;
  for (const auto& [member, value] : old_table) {
    if (!new_table.find(member)) taken_away.set(member, value);
  }
  set_removed(request, taken_away,
              {{"BillingMode", "PROVISIONED"},
               {"OnDemandThroughput", json::Object{{"MaxReadRequestUnits", -1}, {"MaxWriteRequestUnits", -1}}},
               {"SSESpecification", json::Object{{"Enabled", false}}},
               {"TableClass", "STANDARD"},
               {"DeletionProtectionEnabled", false}});
  if (json::Array updates = index_settings(before, after); !updates.empty()) {
    request.set("GlobalSecondaryIndexUpdates", std::move(updates));
  }
  if (!request.empty()) co_await update_and_wait(step, name, std::move(request));
}

// A stream of other images is another stream: the old one ends first.
Task<void> change_stream(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  const std::string wanted = text_of(object_of(after, "StreamSpecification"), "StreamViewType");
  if (text_of(object_of(before, "StreamSpecification"), "StreamViewType") == wanted) co_return;
  const json::Value table = co_await found_table(step, name);
  const std::string current =
      table.is_object() ? text_of(object_of(table.object(), "StreamSpecification"), "StreamViewType") : "";
  if (current == wanted) co_return;
  if (!current.empty()) {
    co_await update_and_wait(step, name, json::Object{{"StreamSpecification", json::Object{{"StreamEnabled", false}}}});
  }
  if (!wanted.empty()) {
    co_await update_and_wait(
        step, name,
        json::Object{{"StreamSpecification", json::Object{{"StreamEnabled", true}, {"StreamViewType", wanted}}}});
  }
}

void check_index_changes(const json::Array& before, const json::Array& after) {
  size_t changes = 0;
  for (const json::Value& index : before) changes += !find_index(after, text_of(index.object(), "IndexName"));
  for (const json::Value& index : after) {
    const json::Value* old_index = find_index(before, text_of(index.object(), "IndexName"));
    changes += !old_index;
    if (old_index && differ(old_index->object(), index.object(), {"KeySchema", "Projection"})) {
      throw InvalidRequest(
          "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification. "
          "You "
          "can create a new GSI with a different name.");
    }
  }
  if (changes > 1) throw InvalidRequest("Cannot perform more than one GSI creation or deletion in a single update");
}

Task<void> change_indexes(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  const json::Array old_indexes = indexes_of(before), new_indexes = indexes_of(after);
  check_index_changes(old_indexes, new_indexes);
  const json::Value table = co_await found_table(step, name);
  if (!table.is_object()) throw InvalidRequest(cat("Table: ", name, " not found"));
  const json::Array current = list_of(table.object(), "GlobalSecondaryIndexes");
  for (const json::Value& index : old_indexes) {
    const std::string index_name = text_of(index.object(), "IndexName");
    if (find_index(new_indexes, index_name) || !find_index(current, index_name)) continue;
    json::Array updates;
    updates.push_back(json::Object{{"Delete", json::Object{{"IndexName", index_name}}}});
    co_await update_and_wait(step, name, json::Object{{"GlobalSecondaryIndexUpdates", std::move(updates)}});
  }
  for (const json::Value& index : new_indexes) {
    if (find_index(current, text_of(index.object(), "IndexName"))) continue;
    json::Array updates;
    updates.push_back(json::Object{{"Create", index}});
    json::Object request = take(after, {"AttributeDefinitions"});
    request.set("GlobalSecondaryIndexUpdates", std::move(updates));
    co_await update_and_wait(step, name, std::move(request));
  }
}

}  // namespace

bool attribute_is_edited(const json::Object& before, const json::Object& after) {
  const json::Array old_ones = list_of(before, "AttributeDefinitions");
  return std::ranges::any_of(list_of(after, "AttributeDefinitions"), [&](const json::Value& one) {
    return std::ranges::any_of(old_ones, [&](const json::Value& old_one) {
      return same_member(old_one.object(), one.object(), "AttributeName") &&
             !same_member(old_one.object(), one.object(), "AttributeType");
    });
  });
}

json::Object table_description(const json::Object& properties) {
  json::Object result =
      take(properties, {"AttributeDefinitions", "BillingMode", "ProvisionedThroughput", "OnDemandThroughput",
                        "TableClass", "DeletionProtectionEnabled", "WarmThroughput"});
  if (const json::Object encryption = object_of(properties, "SSESpecification"); !encryption.empty()) {
    result.set("SSESpecification", encryption_of(encryption));
  }
  if (json::Array indexes = indexes_of(properties); !indexes.empty()) {
    result.set("GlobalSecondaryIndexes", std::move(indexes));
  }
  if (const std::string images = text_of(object_of(properties, "StreamSpecification"), "StreamViewType");
      !images.empty()) {
    result.set("StreamSpecification", json::Object{{"StreamEnabled", true}, {"StreamViewType", images}});
  }
  return result;
}

Task<void> await_table(Step& step, std::string name) {
  if (!co_await step.wait_until([&] { return table_is_active(step, name); }, kTableSettlesMax)) {
    throw InvalidRequest(cat("Table ", name, " did not become ACTIVE in time."));
  }
}

Task<void> await_import(Step& step, std::string import_arn) {
  json::Object import;
  const auto has_ended = [&]() -> Task<bool> {
    const json::Value answer =
        co_await step.call("dynamodb", "DescribeImport", json::Object{{"ImportArn", import_arn}});
    import = object_of(answer.object(), "ImportTableDescription");
    co_return text_of(import, "ImportStatus") != "IN_PROGRESS";
  };
  if (!co_await step.wait_until(has_ended, kTableSettlesMax)) throw InvalidRequest("The import did not end in time.");
  if (text_of(import, "ImportStatus") != "COMPLETED") {
    throw InvalidRequest(cat("Import ", import_arn, " ended as ", text_of(import, "ImportStatus"), ": ",
                             text_of(import, "FailureCode"), " ", text_of(import, "FailureMessage")));
  }
}

Task<void> change_table(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await change_settings(step, name, before, after);
  co_await change_stream(step, name, before, after);
  co_await change_indexes(step, name, before, after);
}

Task<void> change_table_tags(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await change_tags(step, kTableTags, step.arn("dynamodb", cat("table/", name)), before, after);
}

Task<void> remove_table(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("dynamodb", "DeleteTable", json::Object{{"TableName", name}},
                             {"ResourceNotFoundException"});
  if (!co_await step.wait_until([&] { return table_is_gone(step, name); }, kTableSettlesMax)) {
    throw InvalidRequest(cat("Table ", name, " was not deleted in time."));
  }
}

Task<json::Object> describe_table(Step& step, std::string name, const json::Object&) {
  const json::Value table = co_await found_table(step, name);
  json::Object result{{"Arn", step.arn("dynamodb", cat("table/", name))}};
  if (!table.is_object()) co_return result;
  copy_member(result, table.object(), "TableId");
  if (table.find("StreamSpecification")) copy_member(result, table.object(), "LatestStreamArn", "StreamArn");
  co_return result;
}

}  // namespace tidemill::cloudformation

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

constexpr std::string_view kProvisionedBilling = "PROVISIONED";
constexpr int kAnyRequestUnits = -1;  // OnDemandThroughput: no maximum

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

// But for indexes that are `going`.
Task<bool> table_is_active(Step& step, std::string name, std::vector<std::string> going = {}) {
  const json::Value answer = co_await step.call("dynamodb", "DescribeTable", json::Object{{"TableName", name}});
  const json::Value table = answered(answer, "Table");
  if (text_of(table.object(), "TableStatus") != "ACTIVE") co_return false;
  co_return std::ranges::all_of(list_of(table.object(), "GlobalSecondaryIndexes"), [&](const json::Value& index) {
    return text_of(index.object(), "IndexStatus") == "ACTIVE" ||
           std::ranges::find(going, text_of(index.object(), "IndexName")) != going.end();
  });
}

Task<void> await_settled(Step& step, std::string name, std::vector<std::string> going) {
  if (!co_await step.wait_until([&] { return table_is_active(step, name, going); }, kTableSettlesMax)) {
    throw InvalidRequest(cat("Table ", name, " did not become ACTIVE in time."));
  }
}

Task<bool> table_is_gone(Step& step, std::string name) { co_return (co_await found_table(step, name)).is_null(); }

Task<void> update_and_wait(Step& step, std::string name, json::Object request) {
  request.set("TableName", name);
  co_await step.call("dynamodb", "UpdateTable", std::move(request));
  co_await await_table(step, name);
}

// ---- UpdateTable, a part at a time ----

// Parts are of a table or of one of its indexes, as properties or as DescribeTable has them: alike but for the mode.

std::string billing_of(const json::Object& properties) {
  return text_or(properties, "BillingMode", kProvisionedBilling);
}

// A table that was never on demand has no mode to tell.
std::string current_billing(const json::Object& table) { return billing_of(object_of(table, "BillingModeSummary")); }

json::Object units_of(const json::Object& part) {
  return take(object_of(part, "ProvisionedThroughput"), {"ReadCapacityUnits", "WriteCapacityUnits"});
}

json::Object maxima_of(const json::Object& part) {
  json::Object result{{"MaxReadRequestUnits", kAnyRequestUnits}, {"MaxWriteRequestUnits", kAnyRequestUnits}};
  for (const auto& [name, value] : object_of(part, "OnDemandThroughput")) result.set(name, value);
  return result;
}

// It can only be raised: what a way back finds higher stays so.
json::Object warmth_changes(const json::Object& current, const json::Object& before, const json::Object& after,
                            bool brings_back) {
  if (same_member(before, after, "WarmThroughput")) return {};
  json::Object wanted = object_of(after, "WarmThroughput");
  if (!brings_back) return wanted;
  for (const auto& [name, value] : object_of(current, "WarmThroughput")) {
    const json::Value* units = wanted.find(name);
    if (units && units->to_int64() < value.to_int64()) wanted.erase(name);
  }
  return wanted;
}

// What a part is to be given. What the template leaves as it was stays, whoever has changed it; what it is already, as
// in a rollback of what never came to be, would be refused.
json::Object throughput_changes(const json::Object& current, const json::Object& before, const json::Object& after,
                                bool is_other_billing, bool is_on_demand, bool brings_back) {
  const auto is_news = [&](json::Object (*setting_of)(const json::Object&)) {
    const json::Value wanted(setting_of(after));
    return !json::equal(json::Value(setting_of(before)), wanted) &&
           !json::equal(json::Value(setting_of(current)), wanted);
  };
  json::Object result;
  if (is_other_billing || is_news(units_of)) copy_member(result, after, "ProvisionedThroughput");
  // That there are none goes without saying of what is provisioned, and must: DynamoDB refuses to hear of them.
  if (is_news(maxima_of) && (is_on_demand || after.find("OnDemandThroughput"))) {
    result.set("OnDemandThroughput", maxima_of(after));
  }
  if (json::Object warmth = warmth_changes(current, before, after, brings_back); !warmth.empty()) {
    result.set("WarmThroughput", std::move(warmth));
  }
  return result;
}

json::Object lifted_maxima(const json::Object& current, const json::Object& after) {
  if (!current.find("OnDemandThroughput") || after.find("OnDemandThroughput")) return {};
  return json::Object{{"OnDemandThroughput", maxima_of(after)}};
}

// The request of what changes of the table and of its indexes that stay: changes_of(current, before, after) says it.
json::Object request_of_parts(const json::Object& current, const json::Object& before, const json::Object& after,
                              const auto& changes_of) {
  json::Object request = changes_of(current, before, after);
  const json::Array current_indexes = list_of(current, "GlobalSecondaryIndexes"), old_indexes = indexes_of(before);
  json::Array updates;
  for (const json::Value& index : indexes_of(after)) {
    const std::string index_name = text_of(index.object(), "IndexName");
    const json::Value *current_index = find_index(current_indexes, index_name),
                      *old_index = find_index(old_indexes, index_name);
    if (!current_index) continue;  // it is made later
    const json::Object none;
    json::Object update = changes_of(current_index->object(), old_index ? old_index->object() : none, index.object());
    if (update.empty()) continue;
    update.set("IndexName", index_name);
    updates.push_back(json::Object{{"Update", std::move(update)}});
  }
  if (!updates.empty()) request.set("GlobalSecondaryIndexUpdates", std::move(updates));
  return request;
}

Task<void> change_settings(Step& step, std::string name, const json::Object& current, const json::Object& before,
                           const json::Object& after) {
  const std::string billing = billing_of(after);
  const bool is_on_demand = billing != kProvisionedBilling;
  const bool is_other_billing = billing_of(before) != billing && current_billing(current) != billing;
  if (is_other_billing && !is_on_demand) {
    // As long as they can be told: a table that is provisioned takes none, and would have them again on demand.
    json::Object lifting = request_of_parts(
        current, before, after, [](const json::Object& part, const json::Object&, const json::Object& wanted) {
          return lifted_maxima(part, wanted);
        });
    if (!lifting.empty()) co_await update_and_wait(step, name, std::move(lifting));
  }
  json::Object request = request_of_parts(
      current, before, after, [&](const json::Object& part, const json::Object& old_part, const json::Object& wanted) {
        return throughput_changes(part, old_part, wanted, is_other_billing, is_on_demand, step.scope().brings_back);
      });
  if (is_other_billing) request.set("BillingMode", billing);
  const json::Object old_table = table_description(before), new_table = table_description(after);
  for (const std::string_view member : {"SSESpecification", "TableClass", "DeletionProtectionEnabled"}) {
    if (!same_member(old_table, new_table, member)) copy_member(request, new_table, member);
  }
  json::Object taken_away;
  for (const auto& [member, value] : old_table) {
    if (!new_table.find(member)) taken_away.set(member, value);
  }
  set_removed(request, taken_away,
              {{"SSESpecification", json::Object{{"Enabled", false}}},
               {"TableClass", "STANDARD"},
               {"DeletionProtectionEnabled", false}});
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

struct IndexChanges {
  std::vector<std::string> removed;
  json::Array added;
};

// What is to become of the table's indexes as they are: nothing of what a rollback finds as it was. Throws
// InvalidRequest for what CloudFormation does not do.
IndexChanges index_changes(const json::Object& current, const json::Object& before, const json::Object& after) {
  const json::Array current_indexes = list_of(current, "GlobalSecondaryIndexes");
  const json::Array old_indexes = indexes_of(before), new_indexes = indexes_of(after);
  IndexChanges changes;
  for (const json::Value& index : old_indexes) {
    const std::string index_name = text_of(index.object(), "IndexName");
    if (find_index(new_indexes, index_name) || !find_index(current_indexes, index_name)) continue;
    const bool is_known = std::ranges::find(changes.removed, index_name) != changes.removed.end();
    if (!is_known) changes.removed.push_back(index_name);
  }
  for (const json::Value& index : new_indexes) {
    const std::string index_name = text_of(index.object(), "IndexName");
    const json::Value *current_index = find_index(current_indexes, index_name),
                      *old_index = find_index(old_indexes, index_name);
    if (!current_index) {
      changes.added.push_back(index);
    } else if (old_index && differ(old_index->object(), index.object(), {"KeySchema", "Projection"}) &&
               differ(current_index->object(), index.object(), {"KeySchema", "Projection"})) {
      throw InvalidRequest(
          "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification. "
          "You "
          "can create a new GSI with a different name.");
    }
  }
  if (changes.removed.size() + changes.added.size() > 1) {
    throw InvalidRequest("Cannot perform more than one GSI creation or deletion in a single update");
  }
  return changes;
}

Task<void> remove_indexes(Step& step, std::string name, const std::vector<std::string>& removed) {
  for (const std::string& index_name : removed) {
    json::Array updates;
    updates.push_back(json::Object{{"Delete", json::Object{{"IndexName", index_name}}}});
    co_await update_and_wait(step, name, json::Object{{"GlobalSecondaryIndexUpdates", std::move(updates)}});
  }
}

Task<void> add_indexes(Step& step, std::string name, const json::Array& added, const json::Object& after) {
  for (const json::Value& index : added) {
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

Task<void> await_table(Step& step, std::string name) { return await_settled(step, std::move(name), {}); }

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
  const json::Value found = co_await found_table(step, name);
  if (!found.is_object()) throw InvalidRequest(cat("Table: ", name, " not found"));
  const json::Object& current = found.object();
  const IndexChanges indexes = index_changes(current, before, after);
  // A try that was cut off may have left an index or a replica that is still filled. Nobody else waits for that, and
  // while a replica is filled nothing can be changed. An index that is to go need not be filled first.
  co_await await_settled(step, name, indexes.removed);
  // In this order an index has throughput as the table's billing wants it, before and after that changes.
  co_await remove_indexes(step, name, indexes.removed);
  co_await change_settings(step, name, current, before, after);
  co_await change_stream(step, name, before, after);
  co_await add_indexes(step, name, indexes.added, after);
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

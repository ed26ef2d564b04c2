// What the types of DynamoDB have in common: a table's changes, one operation at a time, and waiting for each.
#pragma once

#include <string>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// Of AWS::DynamoDB::Table's properties those that CreateTable and UpdateTable both take, in their words.
[[nodiscard]] json::Object table_description(const json::Object& properties);

// Until the table and all of its indexes are ACTIVE. Throws InvalidRequest after hours.
Task<void> await_table(Step& step, std::string name);
// Until an import has ended. Throws InvalidRequest with its failure.
Task<void> await_import(Step& step, std::string import_arn);

// Throughput, indexes, stream and all else that UpdateTable changes. `before` and `after` are properties, of which the
// table may have either or what lies between. Throws InvalidRequest, before anything is changed, if more than one index
// comes or goes or one that stays is another.
Task<void> change_table(Step& step, std::string name, const json::Object& before, const json::Object& after);
// Time to live, recovery, a stream to Kinesis, insights, and what a stream has of its own.
Task<void> change_table_features(Step& step, std::string name, const json::Object& before, const json::Object& after);
// {PolicyDocument}; empty: none.
Task<void> change_table_policy(Step& step, std::string arn, const json::Object& before, const json::Object& after);
Task<void> change_table_tags(Step& step, std::string name, const json::Object& before, const json::Object& after);

// Whether an attribute that both have is of another type: such an edit makes a new table.
[[nodiscard]] bool attribute_is_edited(const json::Object& before, const json::Object& after);

Task<void> remove_table(Step& step, std::string name, const json::Object& properties);
Task<json::Object> describe_table(Step& step, std::string name, const json::Object& properties);

}  // namespace tidemill::cloudformation

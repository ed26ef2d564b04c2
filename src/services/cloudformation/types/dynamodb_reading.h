// AWS::DynamoDB::Table as it is, for whoever asks about tables that no stack has made.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// In the words of the type's properties. Throws what DescribeTable says of a table that is not there.
Task<json::Object> read_table(Step& step, std::string name);
Task<std::vector<std::string>> list_tables(Step& step);

}  // namespace tidemill::cloudformation

// The changes of one item that a request can ask for, made ready to be run(): by an operation of their own, or in a
// transaction. All throw ValidationException, in the given style, where the request is wrong whatever is in the table.
#pragma once

#include <memory>

#include "services/dynamodb/item_operation.h"
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

[[nodiscard]] std::shared_ptr<ItemOperation> make_put(const shapes::PutItemInput& request, MessageStyle style);
[[nodiscard]] std::shared_ptr<ItemOperation> make_update(const shapes::UpdateItemInput& request, MessageStyle style);
[[nodiscard]] std::shared_ptr<ItemOperation> make_delete(const shapes::DeleteItemInput& request, MessageStyle style);
// Changes nothing: only in a transaction.
[[nodiscard]] std::shared_ptr<ItemOperation> make_condition_check(const shapes::ConditionCheck& request);

}  // namespace tidemill::dynamodb

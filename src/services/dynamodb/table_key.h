// The key of KMS that a table names. Nothing is encrypted with it, but it must be one that DynamoDB could use for
// whoever names it: "Using your customer managed key" in the developer guide.
#pragma once

#include "base/task.h"
#include "services/dynamodb/table.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

// Asks KMS, on the caller's behalf, for a customer's key that `table` has just been given, and writes down its ARN
// instead of an alias. As DynamoDB does it asks for the rights to kms:DescribeKey and kms:CreateGrant. Throws
// ValidationException for a key that is not there, disabled, about to be deleted or no key to encrypt with,
// AccessDeniedException for one that the caller may not use, such as another account's.
Task<void> settle_key(const wire::Context& caller, Table& table);

}  // namespace tidemill::dynamodb

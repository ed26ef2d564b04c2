// What a table that is to be made looks like: of CreateTable and of ImportTable.
#pragma once

#include "services/dynamodb/table.h"
#include "wire/context.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Checked, and nowhere yet. Without its stream and its policy. Throws ValidationException.
[[nodiscard]] Table make_table(const wire::Context& context, const wire::dynamodb::CreateTableInput& request);

}  // namespace tidemill::dynamodb

// How many calls of functions may run at the same time: 1,000 of an account in a region, of which a function may have a
// part to itself. What is reserved in all is kept in the store beside the functions, (account, region, "lambda",
// "account", "concurrency").
#pragma once

#include <string_view>

#include "engine/workers/workers.h"
#include "services/lambda/function_name.h"
#include "store/store.h"

namespace tidemill::lambda {

// What AWS leaves to functions that reserve nothing.
inline constexpr int kUnreservedConcurrencyMin = 100;

// What the functions of an account's region have reserved together.
Task<int> load_reserved_total(store::Snapshot& reader, std::string_view account, std::string_view region);

// Changes it: `before` was a function's part of it, `after` will be.
Task<void> change_reserved(store::Transaction& txn, const FunctionAddress& address, int before, int after);

}  // namespace tidemill::lambda

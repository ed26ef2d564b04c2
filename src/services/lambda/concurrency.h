// How many calls of functions may run at the same time: 1,000 of an account in a region, of which a function may have a
// part to itself, and a version or an alias processes that are kept for it (provisioned.h). What is reserved and provisioned
// in all is kept in the store beside the functions, (account, region, "lambda", "account", "concurrency").
#pragma once

#include <optional>
#include <string_view>

#include "engine/workers/workers.h"
#include "services/lambda/function_name.h"
#include "store/store.h"

namespace tidemill::lambda {

// What AWS leaves to functions that reserve nothing.
inline constexpr int kUnreservedConcurrencyMin = 100;

// Of the functions of an account's region together.
struct AccountConcurrency {
  int reserved = 0;
  int provisioned = 0;  // of those that reserve nothing

  bool operator==(const AccountConcurrency&) const = default;
};
Task<AccountConcurrency> load_account_concurrency(store::Snapshot& reader, std::string_view account,
                                                  std::string_view region);

// What a function has of it.
struct FunctionConcurrency {
  std::optional<int> reserved;
  int provisioned = 0;
};
// Changes its part. Throws AWS's errors if too little were left, for others or for itself.
Task<void> change_concurrency(store::Transaction& txn, FunctionAddress address, FunctionConcurrency before,
                              FunctionConcurrency after);

}  // namespace tidemill::lambda

// Why a transaction did not happen: one reason for each of its actions, in their order.
#pragma once

#include <vector>

#include "services/dynamodb/errors.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// What a single operation would answer, as an entry of a list says it: "ConditionalCheckFailedException" becomes
// ConditionalCheckFailed; only ValidationException is called an error.
[[nodiscard]] wire::dynamodb::CancellationReason reason_of(const wire::Error& error);

class CancellationReasons {
 public:
  // Of a transaction with so many actions; none has a reason yet.
  explicit CancellationReasons(size_t actions);

  void add(size_t action, const wire::Error& error);
  // Too many wait for the action's item.
  void add_conflict(size_t action);

  [[nodiscard]] bool any() const { return any_; }
  // TransactionCanceledException, with the reasons.
  [[nodiscard]] wire::Error error() const;

 private:
  std::vector<wire::dynamodb::CancellationReason> reasons_;
  bool any_ = false;
};

}  // namespace tidemill::dynamodb

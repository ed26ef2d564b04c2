#include "services/dynamodb/cancellation.h"

#include "lang/dynamodb/json_codec.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kItemMember = "\"Item\":";
constexpr std::string_view kSuffix = "Exception";

}  // namespace

wire::dynamodb::CancellationReason reason_of(const wire::Error& error) {
  wire::dynamodb::CancellationReason reason{.code = error.code, .message = error.message};
  if (error.code == "ValidationException") {
    reason.code = "ValidationError";
  } else if (error.code == "ThrottlingException") {
    reason.code = "ThrottlingError";
  } else if (error.code.ends_with(kSuffix)) {
    reason.code = error.code.substr(0, error.code.size() - kSuffix.size());
  }
  if (error.more_members.starts_with(kItemMember)) {
    reason.item = lang::dynamodb::item_from_json(std::string_view(error.more_members).substr(kItemMember.size()));
  }
  return reason;
}

CancellationReasons::CancellationReasons(size_t actions) : reasons_(actions, {.code = "None"}) {}

void CancellationReasons::add(size_t action, const wire::Error& error) {
  reasons_[action] = reason_of(error);
  any_ = true;
}

void CancellationReasons::add_conflict(size_t action) {
  reasons_[action] = {.code = "TransactionConflict", .message = "Transaction is ongoing for the item"};
  any_ = true;
}

wire::Error CancellationReasons::error() const {
  std::string codes;
  for (const auto& reason : reasons_) codes.append(codes.empty() ? "" : ", ").append(*reason.code);
  return wire::dynamodb::errors::transaction_canceled_exception(
      "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]",
      {.cancellation_reasons = reasons_});
}

}  // namespace tidemill::dynamodb

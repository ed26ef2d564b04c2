// Lists of exports and imports: the newest of a table first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/dynamodb/transfer.h"

namespace tidemill::dynamodb {

inline constexpr int32_t kTransfersPerPage = 25;

struct TransferPageRequest {
  TransferKind kind = TransferKind::exporting;
  const std::optional<std::string>& table;  // its ARN, or its name; nothing: all tables
  std::optional<int32_t> limit;
  const std::optional<std::string>& token;
};
struct TransferPage {
  std::vector<std::string> records;  // as they are stored
  std::optional<std::string> next;
};

// Throws ValidationException.
Task<TransferPage> read_transfer_page(const wire::Context& context, TransferPageRequest request);

// Whether it is in the account and the region that the caller speaks of.
[[nodiscard]] bool is_of_caller(const TransferAddress& address, const wire::Context& context);

}  // namespace tidemill::dynamodb

// What exports and imports have in common: their ARNs, the tokens that make their requests idempotent, how many of them
// run at a time, and how long they are remembered.
//
// Each is a resource of its own, which outlives its table: KeySpace::resource, (account, region, "dynamodb", "export"
// or "import", table name, id).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/targets/bucket_access.h"
#include "services/dynamodb/table.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr std::chrono::hours kTransferTokenLifetime{8};
inline constexpr std::chrono::days kTransferRetention{90};  // after its end
inline constexpr size_t kExportsRunningMax = 300;           // of an account's region, as on AWS
inline constexpr size_t kImportsRunningMax = 50;

inline constexpr store::TimerKind kExportTimer{"dynamodb-export"};  // id: the export's ARN; payload: TableCopy
inline constexpr store::TimerKind kImportTimer{"dynamodb-import"};  // id: the import's ARN
inline constexpr store::TimerKind kTransferExpiryTimer{"dynamodb-transfer-expiry"};  // id: the ARN

enum class TransferKind : uint8_t { exporting, importing };
enum class TransferStatus : uint8_t { in_progress, completed, failed };
[[nodiscard]] std::string_view status_name(TransferStatus status);
[[nodiscard]] TransferStatus status_from_name(std::string_view name);

// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/export/01489602797149-73d8d5bc, or …/import/….
struct TransferAddress {
  TransferKind kind = TransferKind::exporting;
  TableAddress table;
  std::string id;

  [[nodiscard]] std::string arn() const;
};
[[nodiscard]] std::optional<TransferAddress> parse_transfer_arn(TransferKind kind, std::string_view arn);

[[nodiscard]] std::string transfer_key(const TransferAddress& address);
// Those of one table's name, oldest first; of an account's region.
[[nodiscard]] store::Range table_transfers_range(TransferKind kind, const TableAddress& table);
[[nodiscard]] store::Range all_transfers_range(TransferKind kind, std::string_view account, std::string_view region);

// Why a transfer ended before its time: what DescribeExport and DescribeImport tell.
using TransferFailure = engine::Refusal;

// In the transactions that begin and end one. The first throws LimitExceededException.
Task<void> begin_transfer(store::Transaction& txn, const TransferAddress& address);
Task<void> end_transfer(store::Transaction& txn, const TransferAddress& address, base::Time now);
// The handler of kTransferExpiryTimer.
Task<void> forget_transfer(store::Store& store, const store::Timer& timer);

// Whom a token was given for.
struct TransferToken {
  std::string arn;          // of the transfer
  std::string fingerprint;  // of its request
  base::Time used;
};
// Nothing: nobody has used it in its lifetime.
Task<std::optional<TransferToken>> find_transfer_token(store::Transaction& txn, TransferKind kind,
                                                       const wire::Context& context, std::string_view token);
void save_transfer_token(store::Transaction& txn, TransferKind kind, const wire::Context& context,
                         std::string_view token, const TransferToken& use);

// Pages of lists: hexadecimal digits that name where to go on, as long as AWS's are at least.
[[nodiscard]] std::string encode_page_token(std::string_view key);
// Nothing: it is none.
[[nodiscard]] std::optional<std::string> decode_page_token(std::string_view token);

}  // namespace tidemill::dynamodb

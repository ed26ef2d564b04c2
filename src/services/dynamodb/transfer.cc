#include "services/dynamodb/transfer.h"

#include <algorithm>
#include <cctype>

#include "base/hex.h"
#include "base/json_record.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/dynamodb/idempotency.h"
#include "store/resources.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

namespace {

// What the two kinds call their things.
struct Names {
  std::string_view resource;  // in ARNs
  store::ResourceType records;
  store::ResourceType running;
  store::ResourceType tokens;
  size_t running_max;
  std::string_view too_many;
};

constexpr Names kExports{"/export/",
                         {"dynamodb", "export"},
                         {"dynamodb", "export-running"},
                         {"dynamodb", "export-token"},
                         kExportsRunningMax,
                         "Subscriber limit exceeded: There is a limit of 300 concurrent exports per subscriber"};
constexpr Names kImports{"/import/",
                         {"dynamodb", "import"},
                         {"dynamodb", "import-running"},
                         {"dynamodb", "import-token"},
                         kImportsRunningMax,
                         "Subscriber limit exceeded: There is a limit of 50 concurrent imports per subscriber"};

const Names& names_of(TransferKind kind) { return kind == TransferKind::exporting ? kExports : kImports; }

std::string token_key(TransferKind kind, const TableAddress& where, std::string_view token) {
  // Tokens may be of any length; what stands for one in the key is not.
  return store::resource_key(names_of(kind).tokens, where.account, where.region, Fingerprint().add(token).bytes());
}

std::string running_key(const TransferAddress& address) {
  std::string key = store::resource_key(names_of(address.kind).running, address.table.account, address.table.region,
                                        address.table.name);
  base::append_string(key, address.id);
  return key;
}

TransferToken decode_token(std::string_view bytes) {
  const json::Record record("transfer token", bytes);
  return {record.text("arn"), record.bytes("fingerprint"), record.time("used")};
}

bool is_id(std::string_view id) {
  return !id.empty() && std::ranges::all_of(id, [](unsigned char c) { return std::isxdigit(c) || c == '-'; });
}

// Of page tokens.
constexpr size_t kTokenBytesMin = 56;  // 112 digits
constexpr size_t kTokenBytesStep = 8;

}  // namespace

std::string_view status_name(TransferStatus status) {
  switch (status) {
    case TransferStatus::completed:
      return "COMPLETED";
    case TransferStatus::failed:
      return "FAILED";
    case TransferStatus::in_progress:
      break;
  }
  return "IN_PROGRESS";
}

TransferStatus status_from_name(std::string_view name) {
  if (name == status_name(TransferStatus::completed)) return TransferStatus::completed;
  return name == status_name(TransferStatus::failed) ? TransferStatus::failed : TransferStatus::in_progress;
}

std::string TransferAddress::arn() const { return base::cat(table.arn(), names_of(kind).resource, id); }

std::optional<TransferAddress> parse_transfer_arn(TransferKind kind, std::string_view arn) {
  const std::string_view resource = names_of(kind).resource;
  const size_t at = arn.rfind(resource);
  if (at == std::string_view::npos) return std::nullopt;
  auto table = parse_table_arn(arn.substr(0, at));
  const std::string_view id = arn.substr(at + resource.size());
  if (!table || !is_id(id)) return std::nullopt;
  return TransferAddress{kind, *std::move(table), std::string(id)};
}

std::string transfer_key(const TransferAddress& address) {
  std::string key = store::resource_key(names_of(address.kind).records, address.table.account, address.table.region,
                                        address.table.name);
  base::append_string(key, address.id);
  return key;
}

store::Range table_transfers_range(TransferKind kind, const TableAddress& table) {
  return store::Range::prefix(store::resource_key(names_of(kind).records, table.account, table.region, table.name));
}

store::Range all_transfers_range(TransferKind kind, std::string_view account, std::string_view region) {
  return store::resources_range(names_of(kind).records, account, region);
}

Task<void> begin_transfer(store::Transaction& txn, const TransferAddress& address) {
  const Names& names = names_of(address.kind);
  size_t running = 0;
  const store::EntryVisitor visit = [&](std::string_view, std::string_view) {
    ++running;
    return true;
  };
  const store::Range range = store::resources_range(names.running, address.table.account, address.table.region);
  co_await txn.scan(range, store::first(names.running_max), visit);
  if (running >= names.running_max) {
    throw wire::dynamodb::errors::limit_exceeded_exception(std::string(names.too_many));
  }
  txn.put(running_key(address), "");
}

Task<void> end_transfer(store::Transaction& txn, const TransferAddress& address, base::Time now) {
  txn.erase(running_key(address));
  const store::Timer timer{
      .kind = std::string(kTransferExpiryTimer.name), .id = address.arn(), .due = now + kTransferRetention};
  co_await store::set_timer(txn, timer);
}

Task<void> forget_transfer(store::Store& store, const store::Timer& timer) {
  auto address = parse_transfer_arn(TransferKind::exporting, timer.id);
  if (!address) address = parse_transfer_arn(TransferKind::importing, timer.id);
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    const std::string key = transfer_key(*address);
    const auto bytes = co_await txn.get(key);
    if (!bytes) co_return;
    txn.erase(key);
    // The token may have come to name a later transfer.
    const std::string token = json::Record("transfer", *bytes).text("token");
    const std::string at = token_key(address->kind, address->table, token);
    const auto use = co_await txn.get(at);
    if (use && decode_token(*use).arn == timer.id) txn.erase(at);
  });
}

Task<std::optional<TransferToken>> find_transfer_token(store::Transaction& txn, TransferKind kind,
                                                       const wire::Context& context, std::string_view token) {
  const std::string key = token_key(kind, {context.account, context.region, ""}, token);
  const auto bytes = co_await txn.get(key);
  if (!bytes) co_return std::nullopt;
  TransferToken use = decode_token(*bytes);
  if (use.used + kTransferTokenLifetime <= context.now()) co_return std::nullopt;
  co_return use;
}

void save_transfer_token(store::Transaction& txn, TransferKind kind, const wire::Context& context,
                         std::string_view token, const TransferToken& use) {
  std::string bytes;
  json::Writer writer(bytes);
  writer.begin_object();
  json::write_member(writer, "arn", use.arn);
  json::write_bytes(writer, "fingerprint", use.fingerprint);
  json::write_member(writer, "used", use.used);
  writer.end_object();
  txn.put(token_key(kind, {context.account, context.region, ""}, token), bytes);
}

std::string encode_page_token(std::string_view key) {
  std::string padded(key);
  padded.resize(std::max(kTokenBytesMin, (key.size() + kTokenBytesStep) / kTokenBytesStep * kTokenBytesStep), '\0');
  return base::hex_of(padded);
}

std::optional<std::string> decode_page_token(std::string_view token) {
  auto key = base::bytes_of_hex(token);
  if (!key) return std::nullopt;
  key->erase(key->find_last_not_of('\0') + 1);
  if (key->empty()) return std::nullopt;
  return key;
}

}  // namespace tidemill::dynamodb

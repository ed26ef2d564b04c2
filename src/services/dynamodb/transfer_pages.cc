#include "services/dynamodb/transfer_pages.h"

#include <algorithm>

#include "base/json_record.h"
#include "services/dynamodb/errors.h"

namespace tidemill::dynamodb {

namespace {

// A page's token holds "TABLE/ID" of the last on the page before.
std::string name_of(const TransferAddress& address) { return address.table.name + "/" + address.id; }

// Throws ValidationException.
TransferAddress last_of_page(const wire::Context& context, TransferKind kind, std::string_view token) {
  const auto name = decode_page_token(token);
  const size_t slash = name ? name->rfind('/') : std::string::npos;
  if (slash == std::string::npos || !is_table_name(name->substr(0, slash))) {
    throw validation(std::string("Invalid NextToken for ") +
                     (kind == TransferKind::exporting ? "ListExports" : "ListImports"));
  }
  return {kind, {context.account, context.region, name->substr(0, slash)}, name->substr(slash + 1)};
}

}  // namespace

Task<TransferPage> read_transfer_page(const wire::Context& context, TransferPageRequest request) {
  store::Range range = all_transfers_range(request.kind, context.account, context.region);
  if (request.table) range = table_transfers_range(request.kind, resolve_table(context, *request.table));
  if (request.token) {
    range.end = std::min(range.end, transfer_key(last_of_page(context, request.kind, *request.token)));
  }
  const auto limit = static_cast<size_t>(request.limit.value_or(kTransfersPerPage));
  TransferPage page;
  const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
    if (page.records.size() < limit) {
      page.records.emplace_back(value);
      return true;
    }
    const std::string arn = json::Record("transfer", page.records.back()).text("arn");
    if (const auto last = parse_transfer_arn(request.kind, arn)) page.next = encode_page_token(name_of(*last));
    return false;
  };
  const auto snapshot = context.store().snapshot();
  co_await snapshot->scan(range, store::last(limit + 1), visit);
  co_return page;
}

bool is_of_caller(const TransferAddress& address, const wire::Context& context) {
  return address.table.account == context.account && address.table.region == context.region;
}

}  // namespace tidemill::dynamodb

// Reads up to 100 items of any tables as they were at one moment.
#include "services/dynamodb/expressions.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/transaction.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kBytesPerStep = 1024;  // of an item that is copied, or moved (base::slice_is_over)

using Projections = std::vector<std::optional<lang::dynamodb::Projection>>;

Projections parse(const shapes::TransactGetItemsInput& request) {
  Projections projections;
  for (const shapes::TransactGetItem& item : request.transact_items) {
    ExpressionParser parser(MessageStyle::bare, item.get.expression_attribute_names, std::nullopt,
                            {{"ProjectionExpression", item.get.projection_expression}});
    projections.push_back(parser.projection(item.get.projection_expression));
    parser.finish();
  }
  return projections;
}

Task<std::vector<TransactedRead>> find_tables(Service& service, wire::Context& context,
                                              store::Snapshot& snapshot, const shapes::TransactGetItemsInput& request,
                                              const Projections& projections) {
  std::vector<TransactedRead> reads;
  for (const shapes::TransactGetItem& item : request.transact_items) {
    TablePtr table = co_await service.tables().find(snapshot, resolve_table(context, item.get.table_name));
    if (!table) throw resource_not_found();
    check_scalar_keys(*table, projections[reads.size()]);
    reads.push_back({.table = std::move(table), .key = item.get.key});
  }
  co_return reads;
}

}  // namespace

Task<shapes::TransactGetItemsOutput> transact_get_items(Service& service, wire::Context& context,
                                                        const shapes::TransactGetItemsInput& request) {
  const Projections projections = parse(request);
  const auto snapshot = context.store().snapshot();
  std::vector<TransactedRead> reads = co_await find_tables(service, context, *snapshot, request, projections);
  const TransactionUsage usage = co_await read_transaction(service, *snapshot, reads);

  shapes::TransactGetItemsOutput output{
      .consumed_capacity = usage.consumed(request.return_consumed_capacity, TransactionKind::read)};
  output.responses.emplace(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i].stored) continue;
    if (base::slice_is_over(1 + reads[i].stored->size() / kBytesPerStep)) co_await base::give_way();
    std::optional<Item>& item = (*output.responses)[i].item;
    if (!projections[i]) {
      item = Item::from_encoded(*std::move(reads[i].stored));
      continue;
    }
    co_await wire::do_large_joined(service.large_items(), reads[i].stored->size(), [&] {
      item = lang::dynamodb::apply(*projections[i], ItemView(*reads[i].stored));
    });
  }
  co_return output;
}

}  // namespace tidemill::dynamodb

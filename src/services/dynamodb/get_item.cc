// Reads one item by its key.
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/expressions.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/write_item.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

Task<shapes::GetItemOutput> get_item(Service& service, wire::Context& context, const shapes::GetItemInput& request) {
  check_not_mixed({{"AttributesToGet", request.attributes_to_get.has_value()}},
                  {{"ProjectionExpression", request.projection_expression.has_value()}});
  ExpressionParser parser(MessageStyle::prefixed, request.expression_attribute_names, std::nullopt,
                          {{"ProjectionExpression", request.projection_expression}});
  auto projection = parser.projection(request.projection_expression);
  parser.finish(MessageStyle::bare);
  if (!projection) projection = parse_attributes_to_get(MessageStyle::prefixed, request.attributes_to_get);

  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const TablePtr table = co_await service.tables().find(*snapshot, address);
  if (!table) throw resource_not_found();
  service.throttle().admit(*table, Throttle::Kind::read);
  check_scalar_keys(*table, projection);
  check_key(*table, request.key);
  const ItemKey key = key_in(*table, request.key);

  auto bytes = co_await snapshot->get(key.bytes);

  shapes::GetItemOutput output;
  const bool weighs = service.throttle().counts() || wants_capacity(request.return_consumed_capacity);
  size_t size = 0;
  co_await wire::do_large_joined(service.large_items(), bytes ? bytes->size() : 0, [&] {
    if (!bytes) return;
    if (weighs) size = lang::dynamodb::item_size(ItemView(*bytes));
    output.item = projection ? lang::dynamodb::apply(*projection, ItemView(*bytes))
                             : Item::from_encoded(*std::move(bytes));
  });
  if (weighs) {
    const double units = read_units(size, request.consistent_read.value_or(false));
    service.throttle().charge(*table, Throttle::Kind::read, units);
    output.consumed_capacity = consumed_capacity(request.return_consumed_capacity, address.name, units);
  }
  co_return output;
}

}  // namespace tidemill::dynamodb

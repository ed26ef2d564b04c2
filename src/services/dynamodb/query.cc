// Reads the items of one partition key, in the order of their sort keys: one range of the store per page.
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/page.h"
#include "services/dynamodb/write_item.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::KeyCondition;

struct ParsedQuery {
  lang::dynamodb::KeyConditionExpression key_condition;
  Page::Options options;
  std::string_view filter_name;  // in messages
};

// KeyConditions go together with the other expressions, as long as there is no KeyConditionExpression.
void check_not_mixed(const shapes::QueryInput& request) {
  const bool by_expression = request.key_condition_expression.has_value();
  dynamodb::check_not_mixed({{"AttributesToGet", request.attributes_to_get.has_value()},
                             {"QueryFilter", request.query_filter.has_value()},
                             {"ConditionalOperator", request.conditional_operator.has_value()},
                             {"KeyConditions", request.key_conditions.has_value() && by_expression}},
                            {{"ProjectionExpression", request.projection_expression.has_value()},
                             {"FilterExpression", request.filter_expression.has_value()},
                             {"KeyConditionExpression", by_expression}});
}

ParsedQuery parse(const shapes::QueryInput& request) {
  check_not_mixed(request);
  check_select(MessageStyle::prefixed, request.select, request.projection_expression, request.attributes_to_get,
               request.index_name);
  ExpressionParser parser(MessageStyle::prefixed, request.expression_attribute_names,
                          request.expression_attribute_values,
                          {{"FilterExpression", request.filter_expression},
                           {"KeyConditionExpression", request.key_condition_expression},
                           {"ProjectionExpression", request.projection_expression, false}});
  auto filter = parse_legacy_filter(MessageStyle::prefixed, request.query_filter, request.conditional_operator);
  auto projection = parse_attributes_to_get(MessageStyle::prefixed, request.attributes_to_get);
  if (!request.key_condition_expression && !request.key_conditions) {
    throw validation(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
  }
  auto key_condition = parser.key_condition(request.key_condition_expression);
  if (request.filter_expression) filter = parser.filter(request.filter_expression);
  if (request.projection_expression) projection = parser.projection(request.projection_expression);
  parser.finish();
  if (!key_condition) key_condition = parse_key_conditions(request.key_conditions);
  return {.key_condition = *std::move(key_condition),
          .options = {.filter = std::move(filter),
                      .projection = std::move(projection),
                      .limit = request.limit,
                      .count_only = request.select == "COUNT"},
          .filter_name = request.query_filter ? "QueryFilter" : "Filter Expression"};
}

void check_filter(const Table& table, const ParsedQuery& query) {
  const auto& filter = query.options.filter;
  if (!filter) return;
  for (const KeyAttribute* attribute : {&table.partition, table.sort ? &*table.sort : nullptr}) {
    if (!attribute || !filter->mentions(attribute->name)) continue;
    throw validation(std::string(query.filter_name) +
                     " can only contain non-primary key attributes: Primary key attribute: " + attribute->name);
  }
}

KeyCondition bind(const Table& table, const lang::dynamodb::KeyConditionExpression& expression) {
  const KeyCondition condition = with_expression_errors(
      MessageStyle::prefixed, [&] { return lang::dynamodb::resolve(expression, table.key_schema()); });
  check_partition_size(condition.partition);
  if (condition.sort) {
    check_sort_size(condition.sort->low);
    if (condition.sort->op == KeyCondition::Op::between) check_sort_size(condition.sort->high);
  }
  return condition;
}

// Cuts off what lies before the start key, in the query's direction.
void start_after(store::Range& range, store::Direction direction, const Table& table, const KeyCondition& condition,
                 ItemView start_key) {
  check_start_key(table, start_key);
  if (!table.sort) throw validation("The query can return at most one row and cannot be restarted");
  if (*start_key.find(table.partition.name) != condition.partition) {
    throw validation("The provided starting key is outside query boundaries based on provided conditions");
  }
  if (condition.sort && !matches(*condition.sort, *start_key.find(table.sort->name))) {
    throw validation("The provided starting key does not match the range key predicate");
  }
  std::string key = key_in(table, start_key).bytes;
  if (direction == store::Direction::reverse) {
    range.end = std::move(key);
  } else {
    key.push_back('\0');
    range.begin = std::move(key);
  }
}

}  // namespace

Task<shapes::QueryOutput> query(Service& service, wire::Context& context, const shapes::QueryInput& request) {
  const ParsedQuery query = parse(request);
  const TableAddress address = resolve_table(context, request.table_name);
  const TablePtr table = co_await service.tables().find(address);
  if (!table) throw resource_not_found();
  check_index(request.index_name);
  const KeyCondition condition = bind(*table, query.key_condition);
  check_filter(*table, query);

  store::Range range = query_range(table->id, condition);
  const auto direction =
      request.scan_index_forward.value_or(true) ? store::Direction::forward : store::Direction::reverse;
  if (request.exclusive_start_key) start_after(range, direction, *table, condition, *request.exclusive_start_key);

  Page page(*table, query.options);
  const auto snapshot = context.store().snapshot();
  const store::EntryVisitor visit = [&page](std::string_view key, std::string_view value) {
    return page.take(key, value);
  };
  co_await snapshot->scan(range, direction, visit);

  shapes::QueryOutput output{.count = page.count,
                             .scanned_count = page.scanned_count,
                             .last_evaluated_key = page.last_evaluated_key(),
                             .consumed_capacity = consumed_capacity(
                                 request.return_consumed_capacity, address.name,
                                 read_units(page.bytes, request.consistent_read.value_or(false)))};
  if (!query.options.count_only) output.items = std::move(page.items);
  co_return output;
}

}  // namespace tidemill::dynamodb

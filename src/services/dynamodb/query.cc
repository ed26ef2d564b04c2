// Reads the items of one partition key, in the order of their sort keys: one range of the store per page.
#include <algorithm>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/page.h"

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

ParsedQuery parse(const shapes::QueryInput& request, ItemForm form) {
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
  if (request.filter_expression) filter = parser.filter(request.filter_expression);
  auto key_condition = parser.key_condition(request.key_condition_expression);
  if (request.projection_expression) projection = parser.projection(request.projection_expression);
  parser.finish(MessageStyle::bare);
  if (!key_condition) key_condition = parse_key_conditions(request.key_conditions);
  return {.key_condition = *std::move(key_condition),
          .options = {.filter = std::move(filter),
                      .projection = std::move(projection),
                      .limit = request.limit,
                      .count_only = request.select == "COUNT",
                      .form = form},
          .filter_name = request.query_filter ? "QueryFilter" : "Filter Expression"};
}

size_t size_of(const std::vector<ValueView>& values) {
  size_t size = 0;
  for (const ValueView& value : values) size += key_value_size(value);
  return size;
}

KeyCondition bind(const ReadSource& source, const lang::dynamodb::KeyConditionExpression& expression, bool is_legacy) {
  const lang::dynamodb::KeySchema schema = source.key_schema();
  const size_t most = std::max<size_t>(2, schema.partitions().size() + schema.sorts().size());
  if (is_legacy && expression.terms.size() > most) throw validation("Conditions can be of length 1 or 2 only");
  const KeyCondition condition =
      with_expression_errors(MessageStyle::prefixed, [&] { return lang::dynamodb::resolve(expression, schema); });
  check_partition_size(key_value_size(condition.partition) + size_of(condition.more_partitions));
  if (condition.sort) {
    const size_t before = size_of(condition.sorts_before);
    check_sort_size(before + key_value_size(condition.sort->low));
    if (condition.sort->op == KeyCondition::Op::between) check_sort_size(before + key_value_size(condition.sort->high));
  }
  return condition;
}

// Whether the sort attributes that have conditions satisfy them.
bool satisfies(const KeyCondition& condition, const lang::dynamodb::KeySchema& schema, ItemView key) {
  const std::vector<lang::dynamodb::KeySchema::Attribute> sorts = schema.sorts();
  const size_t before = condition.sorts_before.size();
  for (size_t i = 0; i < before; ++i) {
    if (*key.find(sorts[i].name) != condition.sorts_before[i]) return false;
  }
  return matches(*condition.sort, *key.find(sorts[before].name));
}

// Cuts off what lies before the start key, in the query's direction.
void start_after(store::Range& range, store::Direction direction, const ReadSource& source,
                 const KeyCondition& condition, ItemView start_key) {
  std::string key = source.start_place(start_key).bytes;
  const lang::dynamodb::KeySchema schema = source.key_schema();
  if (!source.index() && schema.sort_name.empty()) {
    throw validation("The query can return at most one row and cannot be restarted");
  }
  bool inside = *start_key.find(schema.partition_name) == condition.partition;
  for (size_t i = 0; i < schema.more_partitions.size(); ++i) {
    inside = inside && *start_key.find(schema.more_partitions[i].name) == condition.more_partitions[i];
  }
  if (!inside) {
    throw validation("The provided starting key is outside query boundaries based on provided conditions");
  }
  if (condition.sort && !satisfies(condition, schema, start_key)) {
    throw validation("The provided starting key does not match the range key predicate");
  }
  if (direction == store::Direction::reverse) {
    range.end = std::move(key);
  } else {
    key.push_back('\0');
    range.begin = std::move(key);
  }
}

}  // namespace

Task<shapes::QueryOutput> query(Service& service, wire::Context& context, const shapes::QueryInput& request) {
  return query(service, context, request, ItemForm::json);
}

Task<shapes::QueryOutput> query(Service& service, wire::Context& context, const shapes::QueryInput& request, ItemForm form) {
  const ParsedQuery query = parse(request, form);
  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const TablePtr table = co_await service.tables().find(*snapshot, address);
  if (!table) throw resource_not_found();
  const bool consistent = request.consistent_read.value_or(false);
  const ReadSource source(table, request.index_name, consistent);
  service.throttle().admit(*table, Throttle::Kind::read, source.index());
  const KeyCondition condition = bind(source, query.key_condition, request.key_conditions.has_value());
  check_scalar_keys(*table, query.options.projection);
  check_scalar_keys(*table, query.options.filter);
  check_query_filter(source, query.options.filter, query.filter_name);
  const bool fetches = must_fetch(source, request.select, query.options);

  store::Range range = source.query_range(condition);
  const auto direction =
      request.scan_index_forward.value_or(true) ? store::Direction::forward : store::Direction::reverse;
  if (request.exclusive_start_key) start_after(range, direction, source, condition, *request.exclusive_start_key);

  Page page(source, query.options, fetches);
  co_await page.read(*snapshot, std::move(range), direction, service.large_items());
  co_await page.fetch(*snapshot, consistent, service.large_items());

  const ConsumedUnits units = source.units(page.bytes, page.fetch_units, consistent);
  service.throttle().charge(*table, Throttle::Kind::read, units);

  shapes::QueryOutput output{
      .items = page.take_items(),
      .count = page.count,
      .scanned_count = page.scanned_count,
      .last_evaluated_key = page.last_evaluated_key(),
      .consumed_capacity = consumed_capacity(request.return_consumed_capacity, address.name, units)};
  co_return output;
}

}  // namespace tidemill::dynamodb

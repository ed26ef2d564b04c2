// SELECT: a GetItem where WHERE names one primary key, a Query for each partition or range of one that it names, else a
// Scan.
#include <algorithm>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/page.h"
#include "services/dynamodb/partiql.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::KeyCondition;
using lang::dynamodb::KeySchema;
using lang::partiql::KeyPlan;
using lang::partiql::KeyRange;
using lang::partiql::lies_before;

// A SELECT bound to its table.
struct BoundRead {
  const Statement& statement;
  TablePtr table;
  const Index* index = nullptr;         // of the table
  std::optional<std::string> select = {};  // as Query and Scan take it
  KeySchema schema;
  KeyPlan plan;
  bool descending = false;
};

// The condition on the keys as Query takes it.
struct KeyExpression {
  std::string text = "#k = :k";
  std::map<std::string, std::string> names;
  Item values;
};

std::string sort_condition(KeyCondition::Op op) {
  switch (op) {
    case KeyCondition::Op::equal:
      return "#s = :a";
    case KeyCondition::Op::less:
      return "#s < :a";
    case KeyCondition::Op::less_equal:
      return "#s <= :a";
    case KeyCondition::Op::greater:
      return "#s > :a";
    case KeyCondition::Op::greater_equal:
      return "#s >= :a";
    case KeyCondition::Op::between:
      return "#s BETWEEN :a AND :b";
    case KeyCondition::Op::begins_with:
      break;
  }
  return "begins_with(#s, :a)";
}

KeyExpression key_expression(const BoundRead& read, uint32_t number) {
  KeyExpression expression;
  expression.names.emplace("#k", read.schema.partition_name);
  const KeyRange& range = read.plan.ranges[number];
  expression.values.set(":k", range.partition);
  if (!range.sort) return expression;
  expression.text += " AND " + sort_condition(range.sort->op);
  expression.names.emplace("#s", read.schema.sort_name);
  expression.values.set(":a", range.sort->low);
  if (range.sort->op == KeyCondition::Op::between) expression.values.set(":b", range.sort->high);
  return expression;
}

void check_order(const BoundRead& read) {
  const Statement& statement = read.statement;
  if (statement.order.empty()) return;
  if (!statement.where) throw validation("Must have WHERE clause in the statement when using ORDER BY clause.");
  bool by_partition = false;
  for (const Statement::Order& order : statement.order) {
    by_partition |= order.attribute == read.schema.partition_name;
    if (order.attribute == read.schema.partition_name || order.attribute == read.schema.sort_name) continue;
    throw validation("Attribute " + order.attribute + " in ORDER BY clause must be part of the primary key");
  }
  if (read.plan.ranges.empty()) {
    throw validation(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.");
  }
  const bool one_partition = std::ranges::all_of(
      read.plan.ranges, [&](const KeyRange& range) { return range.partition == read.plan.ranges[0].partition; });
  if (!one_partition && !by_partition) {
    throw validation(
        "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.");
  }
}

void apply_order(BoundRead& read) {
  bool partitions_descending = false;
  for (const Statement::Order& order : read.statement.order) {
    (order.attribute == read.schema.partition_name ? partitions_descending : read.descending) = order.descending;
  }
  if (read.statement.order.empty()) return;
  std::ranges::sort(read.plan.ranges, [&](const KeyRange& a, const KeyRange& b) {
    const auto order = compare(a.partition, b.partition);
    if (order != 0) return (order < 0) != partitions_descending;
    if (!a.sort || !b.sort) return false;
    return read.descending ? lies_before(*b.sort, *a.sort) : lies_before(*a.sort, *b.sort);
  });
}

// What a global index does not project cannot be selected; from a local one the items are fetched. Neither can be
// filtered by what it does not project, if keys are named: else the filter finds it missing (as AWS).
void check_projection(BoundRead& read) {
  const Index& index = *read.index;
  std::vector<std::string_view> columns;
  for (const auto& column : read.statement.columns) columns.push_back(column.path.attribute());
  if (const std::string missing = not_projected(index, columns); !missing.empty()) {
    if (!index.is_local()) {
      throw invalid_parameters("Global secondary index " + index.name + " does not project " + missing);
    }
    read.select = "ALL_ATTRIBUTES";
  }
  if (read.plan.ranges.empty() || !read.plan.rest) return;
  if (const std::string missing = not_projected(index, attributes_of(*read.plan.rest)); !missing.empty()) {
    throw invalid_parameters("Secondary index " + index.name +
                             " does not project one or more filter attributes: " + missing);
  }
}

// AWS's refusal of such an index, though it speaks of tables (October 2026).
wire::Error several_keys() {
  return validation(
      "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.");
}

// What AWS says of an index before it says that a statement must name a primary key.
Task<void> check_index_is_readable(Service& service, wire::Context& context, const Statement& statement) {
  const auto snapshot = context.store().snapshot();
  const TablePtr table = co_await service.tables().find(*snapshot, resolve_table(context, statement.table));
  const Index* index = table ? table->find_index(*statement.index) : nullptr;
  if (index && index->has_several_of_a_kind()) throw several_keys();
}

void bind_index(BoundRead& read, bool consistent) {
  read.index = read.table->find_index(*read.statement.index);
  if (!read.index) throw validation("The table does not have the specified index");
  if (consistent && !read.index->is_local()) {
    throw validation("Strongly consistent read is not supported on Global Secondary Indexes");
  }
  if (read.index->has_several_of_a_kind()) throw several_keys();
  read.schema = read.index->key_schema();
}

Task<BoundRead> bind(Service& service, wire::Context& context, const Statement& statement, bool consistent) {
  const auto snapshot = context.store().snapshot();
  const TablePtr table = co_await service.tables().find(*snapshot, resolve_table(context, statement.table));
  if (!table) throw resource_not_found();
  BoundRead read{.statement = statement, .table = table, .schema = table->key_schema()};
  if (statement.index) bind_index(read, consistent);
  read.plan = plan_statement(statement, read.schema);
  if (read.plan.overlapping) {
    throw validation("Overlapping conditions with range keys are not supported in where clause");
  }
  if (read.index) check_projection(read);
  check_order(read);
  apply_order(read);
  co_return read;
}

// Adds what passes the filter, cut to the SELECT list. Of a page's megabyte; what is large on a thread.
Task<void> take(Service& service, ReadPage& page, const BoundRead& read, std::vector<Item> items) {
  constexpr size_t kBytesPerStep = 256;
  const size_t passes = passes_of(paths_of(read.plan.rest) + read.statement.columns.size());
  for (const Item& item : items) {
    const size_t work = item.encoded().size() * passes;
    if (base::slice_is_over(1 + work / kBytesPerStep)) co_await base::give_way();
    co_await wire::do_large_joined(service.large_items(), work, [&] {
      if (read.plan.rest && !evaluate(*read.plan.rest, item)) return;
      page.items.push_back(project(read.statement, item));
    });
  }
}

Task<ReadPage> read_item(Service& service, wire::Context& context, const BoundRead& read, const ReadOptions& options) {
  const shapes::GetItemInput request{.table_name = read.statement.table,
                                     .key = planned_key(read.plan, *read.table),
                                     .consistent_read = options.consistent,
                                     .return_consumed_capacity = options.return_consumed_capacity};
  auto answer = co_await get_item(service, context, request);
  ReadPage page{.consumed_capacity = std::move(answer.consumed_capacity)};
  std::vector<Item> items;
  if (answer.item) items.push_back(*std::move(answer.item));
  co_await take(service, page, read, std::move(items));
  co_return page;
}

Task<ReadPage> read_table(Service& service, wire::Context& context, const BoundRead& read, const ReadOptions& options) {
  const shapes::ScanInput request{.table_name = read.statement.table,
                                  .index_name = read.statement.index,
                                  .limit = options.limit,
                                  .select = read.select,
                                  .exclusive_start_key = options.from.start_key,
                                  .return_consumed_capacity = options.return_consumed_capacity,
                                  .consistent_read = options.consistent};
  auto answer = co_await scan(service, context, request, lang::dynamodb::ItemForm::encoded);
  ReadPage page{.consumed_capacity = std::move(answer.consumed_capacity)};
  co_await take(service, page, read, std::move(answer.items->items));
  if (answer.last_evaluated_key) {
    page.next = StatementPosition{.start_key = answer.last_evaluated_key};
    page.last_evaluated_key = std::move(answer.last_evaluated_key);
  }
  co_return page;
}

// One range after the other, until one does not come to its end or the page is full.
Task<ReadPage> read_ranges(Service& service, wire::Context& context, const BoundRead& read, ReadOptions options) {
  ReadPage page;
  size_t bytes = 0;
  uint32_t number = options.from.range;
  std::optional<Item> start_key = std::move(options.from.start_key);
  // Without a sort key a range is one item at most: whatever was read of it, that was all, and a Query of it cannot be
  // begun again.
  const bool is_one_item = !read.index && read.schema.sort_name.empty();
  if (is_one_item && start_key) {
    start_key.reset();
    ++number;
  }
  while (number < read.plan.ranges.size()) {
    KeyExpression expression = key_expression(read, number);
    const shapes::QueryInput request{.table_name = read.statement.table,
                                     .index_name = read.statement.index,
                                     .select = read.select,
                                     .limit = options.limit,
                                     .consistent_read = options.consistent,
                                     .scan_index_forward = !read.descending,
                                     .exclusive_start_key = std::move(start_key),
                                     .return_consumed_capacity = options.return_consumed_capacity,
                                     .key_condition_expression = std::move(expression.text),
                                     .expression_attribute_names = std::move(expression.names),
                                     .expression_attribute_values = std::move(expression.values)};
    start_key.reset();
    auto answer = co_await query(service, context, request, lang::dynamodb::ItemForm::encoded);
    for (const Item& item : answer.items->items) bytes += item.encoded().size();
    co_await take(service, page, read, std::move(answer.items->items));
    add_capacity(page.consumed_capacity, answer.consumed_capacity);
    if (answer.last_evaluated_key && !is_one_item) {
      page.next = StatementPosition{number, answer.last_evaluated_key};
      page.last_evaluated_key = std::move(answer.last_evaluated_key);
      co_return page;
    }
    if (options.limit) *options.limit -= *answer.scanned_count;
    ++number;
    const bool full = bytes >= kPageBytesMax || (options.limit && *options.limit <= 0);
    if (!full || number == read.plan.ranges.size()) continue;
    page.next = StatementPosition{.range = number};
    co_return page;
  }
  co_return page;
}

}  // namespace

Task<ReadPage> read_page(Service& service, wire::Context& context, const Statement& statement, ReadOptions options) {
  const BoundRead read = co_await bind(service, context, statement, options.consistent.value_or(false));
  if (!statement.index && read.plan.is_one_key(read.table->sort.has_value())) {
    co_return co_await read_item(service, context, read, options);
  }
  if (read.plan.ranges.empty()) co_return co_await read_table(service, context, read, options);
  co_return co_await read_ranges(service, context, read, std::move(options));
}

Task<ReadPage> read_one(Service& service, wire::Context& context, const Statement& statement, ReadOptions options,
                        std::string_view operation) {
  const auto refuse = [&] {
    return validation("Select statements within " + std::string(operation) +
                      " must specify the primary key in the where clause.");
  };
  if (statement.index) {
    co_await check_index_is_readable(service, context, statement);
    throw refuse();
  }
  const BoundRead read = co_await bind(service, context, statement, options.consistent.value_or(false));
  if (read.plan.rest || !read.plan.is_one_key(read.table->sort.has_value())) throw refuse();
  co_return co_await read_item(service, context, read, options);
}

}  // namespace tidemill::dynamodb

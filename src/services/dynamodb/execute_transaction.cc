// Runs up to 100 PartiQL statements, all reads or all writes, as one transaction.
#include <algorithm>

#include "services/dynamodb/expressions.h"
#include "services/dynamodb/partiql.h"
#include "services/dynamodb/transaction.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

using Kind = Statement::Kind;

constexpr size_t kBytesPerStep = 1024;  // of an item that is copied (base::slice_is_over)

// A statement, and what it stands for among the others.
struct Entry {
  const shapes::ParameterizedStatement& request;
  Statement statement;
  TablePtr table = nullptr;
};

// What a statement is refused with before anything runs.
wire::Error refusal(size_t number, std::string_view message) {
  return validation("Validation failed in TransactStatements[" + std::to_string(number) + "]: " + std::string(message));
}

Statement parse(const shapes::ParameterizedStatement& request, size_t number) {
  const std::string place = "transactStatements." + std::to_string(number + 1) + ".member.parameters";
  try {
    return parse_statement(request.statement, request.parameters, place);
  } catch (const wire::Error& error) {
    if (request.parameters && request.parameters->empty()) throw;  // of the request's shape
    throw refusal(number, error.message);
  }
}

void check_clauses(const Statement& statement, size_t number) {
  if (statement.returning != Statement::Returning::none) {
    throw refusal(number, "RETURNING clause is not supported in ExecuteTransaction.");
  }
  if (statement.index) throw refusal(number, "Reads on indices are not supported within transactions.");
}

std::vector<Entry> parse_all(const shapes::ExecuteTransactionInput& request) {
  std::vector<Entry> entries;
  size_t bytes = 0;
  for (const shapes::ParameterizedStatement& statement : request.transact_statements) {
    const size_t number = entries.size();
    entries.push_back({statement, parse(statement, number)});
    check_clauses(entries.back().statement, number);
    bytes += statement.statement.size();
    for (const Value& value : statement.parameters.value_or(std::vector<Value>())) bytes += value.encoded().size();
  }
  check_transaction_size(bytes);
  const auto reads = std::ranges::count_if(entries, [](const Entry& entry) { return is_read(entry.statement); });
  if (reads > 0 && static_cast<size_t>(reads) < entries.size()) {
    throw validation("ExecuteTransaction API does not support both read and write operations in the same request.");
  }
  return entries;
}

// That WHERE names one primary key and, where it must not or has to, nothing else. What is wrong with the key itself
// cancels the transaction later.
void check_where(const Entry& entry, size_t number) {
  const Statement& statement = entry.statement;
  if (statement.kind == Kind::insert) return;
  const bool has_sort = entry.table->sort.has_value();
  bool one_key = false;
  bool has_rest = false;
  try {
    const lang::partiql::KeyPlan plan = plan_statement(statement, entry.table->key_schema());
    one_key = plan.is_one_key(has_sort);
    has_rest = plan.rest.has_value();
  } catch (const wire::Error&) {
    return;
  }
  if (statement.kind == Kind::select && (!one_key || has_rest)) {
    throw refusal(number, "Select statements within ExecuteTransaction must specify the primary key in the where clause.");
  }
  if (statement.kind == Kind::exists && (!one_key || !has_rest)) {
    throw refusal(number, "EXISTS() must contain a single item read with additional condition");
  }
  if (!one_key) throw refusal(number, "Where clause does not contain a mandatory equality on all key attributes");
}

Task<void> find_tables(Service& service, wire::Context& context, store::Snapshot& snapshot,
                       std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    entry.table = co_await service.tables().find(snapshot, resolve_table(context, entry.statement.table));
    if (!entry.table) throw resource_not_found();
  }
  for (size_t i = 0; i < entries.size(); ++i) check_where(entries[i], i);
}

std::vector<TransactedRead> bind_reads(const std::vector<Entry>& entries) {
  std::vector<TransactedRead> reads;
  for (const Entry& entry : entries) {
    TransactedRead read{.table = entry.table};
    try {
      read.key = planned_key(plan_statement(entry.statement, entry.table->key_schema()), *entry.table);
    } catch (const wire::Error&) {
      // A key attribute is compared with a value of another type: no key suits, which reading will say.
    }
    reads.push_back(std::move(read));
  }
  return reads;
}

Task<shapes::ExecuteTransactionOutput> read(Service& service, store::Snapshot& snapshot,
                                            const std::vector<Entry>& entries,
                                            const shapes::ExecuteTransactionInput& request) {
  std::vector<TransactedRead> reads = bind_reads(entries);
  const TransactionUsage usage = co_await read_transaction(service, snapshot, reads);
  shapes::ExecuteTransactionOutput output{
      .consumed_capacity = usage.consumed(request.return_consumed_capacity, TransactionKind::read)};
  output.responses.emplace(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i].stored) continue;
    if (base::slice_is_over(1 + reads[i].stored->size() / kBytesPerStep)) co_await base::give_way();
    const Statement& statement = entries[i].statement;
    const size_t work = reads[i].stored->size() * passes_of(statement.columns.size());
    co_await wire::do_large_joined(service.large_items(), work, [&] {
      (*output.responses)[i].item = project(statement, ItemView(*reads[i].stored));
    });
  }
  co_return output;
}

Fingerprint fingerprint_of(const shapes::ExecuteTransactionInput& request) {
  Fingerprint fingerprint;
  for (const shapes::ParameterizedStatement& statement : request.transact_statements) {
    fingerprint.add(std::string_view(statement.statement)).add(statement.return_values_on_condition_check_failure);
    std::string parameters;
    for (const Value& value : statement.parameters.value_or(std::vector<Value>())) parameters += value.encoded();
    fingerprint.add(std::string_view(parameters));
  }
  return fingerprint;
}

Task<shapes::ExecuteTransactionOutput> write(Service& service, wire::Context& context, std::vector<Entry> entries,
                                             const shapes::ExecuteTransactionInput& request) {
  std::vector<TransactedWrite> writes;
  for (Entry& entry : entries) {
    std::string table_name = entry.statement.table;
    auto operation = make_write(std::move(entry.statement), std::nullopt,
                                entry.request.return_values_on_condition_check_failure);
    writes.push_back({std::move(table_name), std::move(operation)});
  }
  std::optional<RequestToken> token;
  if (request.client_request_token) {
    token = request_token(context, "ExecuteTransaction", *request.client_request_token, fingerprint_of(request));
  }
  const TransactionResult result = co_await write_transaction(service, context, std::move(writes), std::move(token),
                                                              request.return_consumed_capacity);
  shapes::ExecuteTransactionOutput output{
      .consumed_capacity = result.usage.consumed(request.return_consumed_capacity, result.kind)};
  output.responses.emplace();  // empty for writes, as on AWS
  co_return output;
}

}  // namespace

Task<shapes::ExecuteTransactionOutput> execute_transaction(Service& service, wire::Context& context,
                                                           const shapes::ExecuteTransactionInput& request) {
  std::vector<Entry> entries = parse_all(request);
  const auto snapshot = context.store().snapshot();
  co_await find_tables(service, context, *snapshot, entries);
  if (is_read(entries.front().statement)) co_return co_await read(service, *snapshot, entries, request);
  co_return co_await write(service, context, std::move(entries), request);
}

}  // namespace tidemill::dynamodb

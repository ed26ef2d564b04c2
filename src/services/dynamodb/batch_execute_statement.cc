// Runs up to 25 PartiQL statements, all reads or all writes, one after the other. One that fails tells its own error
// and stops no other.
#include <algorithm>

#include "services/dynamodb/cancellation.h"
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/partiql.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kStepsOfStatement = 16;  // as slice_is_over() counts them: an item may be large

struct Entry {
  const shapes::BatchStatementRequest& request;
  std::optional<Statement> statement;
  shapes::BatchStatementResponse response;
  std::optional<shapes::ConsumedCapacity> consumed_capacity;
};

shapes::BatchStatementError error_of(const wire::Error& error) {
  shapes::CancellationReason reason = reason_of(error);
  return {.code = std::move(reason.code), .message = std::move(reason.message), .item = std::move(reason.item)};
}

std::vector<Entry> parse(const shapes::BatchExecuteStatementInput& request) {
  std::vector<Entry> entries;
  entries.reserve(request.statements.size());
  for (const auto& statement : request.statements) {
    Entry& entry = entries.emplace_back(statement);
    const std::string place = "statements." + std::to_string(entries.size()) + ".member.parameters";
    try {
      entry.statement = parse_statement(statement.statement, statement.parameters, place);
    } catch (const wire::Error& error) {
      if (statement.parameters && statement.parameters->empty()) throw;  // of the request's shape
      entry.response.error = error_of(error);
    }
  }
  const auto count = [&](bool reads) {
    return std::ranges::count_if(
        entries, [&](const Entry& entry) { return entry.statement && is_read(*entry.statement) == reads; });
  };
  if (count(true) > 0 && count(false) > 0) {
    throw validation(
        "The entire batch must consist of either read statements or write statements, you cannot mix both in one "
        "batch.");
  }
  return entries;
}

Task<void> carry_out(Service& service, wire::Context& context, Entry& entry,
                     const std::optional<std::string>& return_consumed_capacity) {
  Statement& statement = *entry.statement;
  const std::string table_name = statement.table;
  if (statement.kind == Statement::Kind::exists) {
    throw validation("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  if (is_read(statement)) {
    ReadPage page = co_await read_one(
        service, context, statement,
        {.consistent = entry.request.consistent_read, .return_consumed_capacity = return_consumed_capacity},
        "BatchExecuteStatement");
    if (!page.items.empty()) entry.response.item = std::move(page.items.front());
    entry.consumed_capacity = std::move(page.consumed_capacity);
  } else {
    const auto operation = make_write(std::move(statement), return_consumed_capacity,
                                      entry.request.return_values_on_condition_check_failure);
    co_await run(service, context, table_name, operation);
    entry.response.item = std::move(operation->outcome.attributes);
    entry.consumed_capacity =
        consumed_capacity(return_consumed_capacity, operation->table().address.name, operation->outcome.write_units);
  }
  entry.response.table_name = table_name;
}

Task<void> try_out(Service& service, wire::Context& context, Entry& entry,
                   const std::optional<std::string>& return_consumed_capacity) {
  try {
    co_await carry_out(service, context, entry, return_consumed_capacity);
  } catch (const wire::Error& error) {
    entry.response.error = error_of(error);
  } catch (const store::Overloaded&) {
    entry.response.error = error_of(throughput_exceeded());
  }
}

}  // namespace

Task<shapes::BatchExecuteStatementOutput> batch_execute_statement(Service& service, wire::Context& context,
                                                                  const shapes::BatchExecuteStatementInput& request) {
  std::vector<Entry> entries = parse(request);
  shapes::BatchExecuteStatementOutput output;
  output.responses.emplace();
  if (wants_capacity(request.return_consumed_capacity)) output.consumed_capacity.emplace();
  for (Entry& entry : entries) {
    if (entry.statement) co_await try_out(service, context, entry, request.return_consumed_capacity);
    output.responses->push_back(std::move(entry.response));
    if (entry.consumed_capacity) output.consumed_capacity->push_back(*std::move(entry.consumed_capacity));
    if (base::slice_is_over(kStepsOfStatement)) co_await base::give_way();
  }
  co_return output;
}

}  // namespace tidemill::dynamodb

// Runs one PartiQL statement: a page of a SELECT, or the change of one item.
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/partiql.h"

namespace tidemill::dynamodb {

namespace {

Task<shapes::ExecuteStatementOutput> read(Service& service, wire::Context& context, const Statement& statement,
                                          const shapes::ExecuteStatementInput& request) {
  ReadOptions options{.consistent = request.consistent_read,
                      .limit = request.limit,
                      .return_consumed_capacity = request.return_consumed_capacity};
  if (request.next_token) {
    options.from = decode_next_token(*request.next_token, request.statement, request.parameters);
  }
  ReadPage page = co_await read_page(service, context, statement, std::move(options));
  shapes::ExecuteStatementOutput output{.items = std::move(page.items),
                                        .consumed_capacity = std::move(page.consumed_capacity),
                                        .last_evaluated_key = std::move(page.last_evaluated_key)};
  if (page.next) output.next_token = encode_next_token(*page.next, request.statement, request.parameters);
  co_return output;
}

Task<shapes::ExecuteStatementOutput> write(Service& service, wire::Context& context, Statement statement,
                                           const shapes::ExecuteStatementInput& request) {
  const std::string table_name = statement.table;
  const auto operation = make_write(std::move(statement), request.return_consumed_capacity,
                                    request.return_values_on_condition_check_failure);
  co_await run(service, context, table_name, operation);
  shapes::ExecuteStatementOutput output{
      .items = std::vector<Item>(),
      .consumed_capacity = consumed_capacity(request.return_consumed_capacity, operation->table().address.name,
                                             operation->outcome.write_units)};
  if (operation->outcome.attributes) output.items->push_back(*std::move(operation->outcome.attributes));
  co_return output;
}

}  // namespace

Task<shapes::ExecuteStatementOutput> execute_statement(Service& service, wire::Context& context,
                                                       const shapes::ExecuteStatementInput& request) {
  Statement statement = parse_statement(request.statement, request.parameters);
  if (statement.kind == Statement::Kind::exists) {
    throw validation("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  if (is_read(statement)) co_return co_await read(service, context, statement, request);
  co_return co_await write(service, context, std::move(statement), request);
}

}  // namespace tidemill::dynamodb

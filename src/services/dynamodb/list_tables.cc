// Lists the tables of the caller's account and region, by name.
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

constexpr int32_t kTablesPerPage = 100;

}  // namespace

Task<shapes::ListTablesOutput> list_tables(Service&, wire::Context& context, const shapes::ListTablesInput& request) {
  const auto limit = static_cast<size_t>(request.limit.value_or(kTablesPerPage));
  store::Range range = all_tables_range(context.account, context.region);
  if (request.exclusive_start_table_name) {
    range.begin = table_key({context.account, context.region, *request.exclusive_start_table_name});
    range.begin.push_back('\0');
  }

  shapes::ListTablesOutput output;
  auto& names = output.table_names.emplace();
  bool more = false;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
    more = names.size() >= limit;
    if (!more) names.push_back(table_name_of(key));
    return !more;
  };
  const auto snapshot = context.store().snapshot();
  co_await snapshot->scan(range, store::first(limit + 1), visit);
  if (more) output.last_evaluated_table_name = names.back();
  co_return output;
}

}  // namespace tidemill::dynamodb

// ImportTable, which begins an import that goes on in the background (import_run.h); DescribeImport, ListImports.
#include "services/dynamodb/backup.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/import.h"
#include "services/dynamodb/new_table.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/table_key.h"
#include "services/dynamodb/transfer_pages.h"

namespace tidemill::dynamodb {

namespace {

shapes::CreateTableInput creation(const shapes::TableCreationParameters& wanted) {
  shapes::CreateTableInput request;
  request.table_name = wanted.table_name;
  request.attribute_definitions = wanted.attribute_definitions;
  request.key_schema = wanted.key_schema;
  request.global_secondary_indexes = wanted.global_secondary_indexes;
  request.billing_mode = wanted.billing_mode;
  request.provisioned_throughput = wanted.provisioned_throughput;
  request.on_demand_throughput = wanted.on_demand_throughput;
  request.sse_specification = wanted.sse_specification;
  return request;
}

void check_options(const shapes::ImportTableInput& request) {
  if (request.input_format_options && request.input_format != shapes::InputFormat::kCsv) {
    throw validation("InputFormatOptions can only be provided if InputFormat is CSV");
  }
}

Import make_import(const wire::Context& context, const shapes::ImportTableInput& request, const Table& table) {
  Import record{{.address = {.kind = TransferKind::importing, .table = table.address}}};
  record.started = std::chrono::floor<std::chrono::milliseconds>(context.now());
  record.address.id =
      backup_id(record.started, new_id(table.address.arn() + "/import", context.request_id, context.now()));
  record.table = table.id;
  record.token = request.client_token;
  record.caller = engine::caller_of(context.principal);
  record.request = request;
  return record;
}

// As on AWS, what a token was used for is told by the table alone: whatever else the request says, the import under way
// answers it. Once the table is there, the token does not count.
Task<std::optional<Import>> find_earlier(store::Transaction& txn, const wire::Context& context,
                                         const shapes::ImportTableInput& request) {
  const auto use = co_await find_transfer_token(txn, TransferKind::importing, context, request.client_token);
  if (!use) co_return std::nullopt;
  const auto address = parse_transfer_arn(TransferKind::importing, use->arn);
  if (!address) co_return std::nullopt;
  if (address->table.name != request.table_creation_parameters.table_name) {
    throw shapes::errors::import_conflict_exception("Duplicate request detected with conflicting parameters");
  }
  co_return co_await load_import(txn, *address);
}

}  // namespace

Task<shapes::ImportTableOutput> import_table(Service&, wire::Context& context,
                                             const shapes::ImportTableInput& request) {
  check_options(request);
  Table wanted = make_table(context, creation(request.table_creation_parameters));
  co_await settle_key(context, wanted);
  const Import begun = co_await context.store().transact([&](store::Transaction& txn) -> Task<Import> {
    const std::optional<Table> there = co_await load_table(txn, wanted.address);
    if (there && !there->features.importing) throw table_exists(wanted.address.name);
    if (auto earlier = co_await find_earlier(txn, context, request)) co_return *std::move(earlier);
    if (there) throw table_exists(wanted.address.name);
    Table table = wanted;
    const Import record = make_import(context, request, table);
    const std::string arn = record.address.arn();
    table.features.importing = arn;
    co_await begin_transfer(txn, record.address);
    save_table(txn, table);
    save_import(txn, record);
    save_transfer_token(txn, TransferKind::importing, context, request.client_token,
                        {.arn = arn, .used = context.now()});
    const store::Timer timer{.kind = std::string(kImportTimer.name), .id = arn, .due = context.now()};
    co_await store::set_timer(txn, timer);
    co_return record;
  });
  co_return shapes::ImportTableOutput{.import_table_description = describe(begun)};
}

Task<shapes::DescribeImportOutput> describe_import(Service&, wire::Context& context,
                                                   const shapes::DescribeImportInput& request) {
  const auto address = parse_transfer_arn(TransferKind::importing, request.import_arn);
  if (!address) throw validation("Invalid Import ARN");
  std::optional<Import> found;
  if (is_of_caller(*address, context)) found = co_await load_import(*context.store().snapshot(), *address);
  if (!found) throw shapes::errors::import_not_found_exception("Import not found: " + request.import_arn);
  co_return shapes::DescribeImportOutput{.import_table_description = describe(*found)};
}

Task<shapes::ListImportsOutput> list_imports(Service&, wire::Context& context,
                                             const shapes::ListImportsInput& request) {
  const TransferPage page = co_await read_transfer_page(context, {.kind = TransferKind::importing,
                                                                  .table = request.table_arn,
                                                                  .limit = request.page_size,
                                                                  .token = request.next_token});
  shapes::ListImportsOutput output{.import_summary_list = std::vector<shapes::ImportSummary>(),
                                   .next_token = page.next};
  for (const std::string& record : page.records) {
    output.import_summary_list->push_back(summarize(decode_import(record)));
  }
  co_return output;
}

}  // namespace tidemill::dynamodb

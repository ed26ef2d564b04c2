// DescribeExport, ListExports.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/export.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/transfer_pages.h"

namespace tidemill::dynamodb {

namespace {

shapes::ExportSummary summarize(const Export& record) {
  return {.export_arn = record.address.arn(),
          .export_status = std::string(status_name(record.status)),
          .export_type = std::string(record.is_incremental() ? shapes::ExportType::kIncrementalExport
                                                             : shapes::ExportType::kFullExport)};
}

}  // namespace

Task<shapes::DescribeExportOutput> describe_export(Service&, wire::Context& context,
                                                   const shapes::DescribeExportInput& request) {
  const auto address = parse_transfer_arn(TransferKind::exporting, request.export_arn);
  if (!address) throw validation("Invalid Export ARN");
  std::optional<Export> found;
  if (is_of_caller(*address, context)) found = co_await load_export(*context.store().snapshot(), *address);
  if (!found) throw shapes::errors::export_not_found_exception("Export not found: " + request.export_arn);
  co_return shapes::DescribeExportOutput{.export_description = describe(*found)};
}

Task<shapes::ListExportsOutput> list_exports(Service&, wire::Context& context,
                                             const shapes::ListExportsInput& request) {
  const TransferPage page = co_await read_transfer_page(context, {.kind = TransferKind::exporting,
                                                                  .table = request.table_arn,
                                                                  .limit = request.max_results,
                                                                  .token = request.next_token});
  shapes::ListExportsOutput output{.export_summaries = std::vector<shapes::ExportSummary>(), .next_token = page.next};
  for (const std::string& record : page.records) output.export_summaries->push_back(summarize(decode_export(record)));
  co_return output;
}

}  // namespace tidemill::dynamodb

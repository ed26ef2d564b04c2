// Reads all items of a table or entries of an index, or of one of the segments that several readers share, in the order
// of their partition keys' hashes.
#include "services/dynamodb/capacity.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/legacy_parameters.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/page.h"

namespace tidemill::dynamodb {

namespace {

struct Segment {
  uint32_t number = 0;
  uint32_t total = 1;
};

Segment parse_segment(const shapes::ScanInput& request) {
  if (!request.segment && !request.total_segments) return {};
  if (!request.total_segments) {
    throw validation(
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present");
  }
  if (!request.segment) {
    throw validation(
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present");
  }
  if (*request.segment >= *request.total_segments) {
    throw validation("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " +
                     std::to_string(*request.segment) +
                     " is not less than TotalSegments: " + std::to_string(*request.total_segments));
  }
  return {static_cast<uint32_t>(*request.segment), static_cast<uint32_t>(*request.total_segments)};
}

Page::Options parse(const shapes::ScanInput& request, ItemForm form) {
  check_not_mixed({{"AttributesToGet", request.attributes_to_get.has_value()},
                   {"ScanFilter", request.scan_filter.has_value()},
                   {"ConditionalOperator", request.conditional_operator.has_value()}},
                  {{"ProjectionExpression", request.projection_expression.has_value()},
                   {"FilterExpression", request.filter_expression.has_value()}});
  check_select(MessageStyle::bare, request.select, request.projection_expression, request.attributes_to_get,
               request.index_name);
  ExpressionParser parser(MessageStyle::bare, request.expression_attribute_names, request.expression_attribute_values,
                          {{"FilterExpression", request.filter_expression},
                           {"ProjectionExpression", request.projection_expression, false}});
  Page::Options options;
  options.projection = parse_attributes_to_get(MessageStyle::bare, request.attributes_to_get);
  options.filter = parse_legacy_filter(MessageStyle::bare, request.scan_filter, request.conditional_operator);
  if (request.filter_expression) options.filter = parser.filter(request.filter_expression);
  if (request.projection_expression) options.projection = parser.projection(request.projection_expression);
  options.limit = request.limit;
  options.count_only = request.select == "COUNT";
  options.form = form;
  parser.finish();
  return options;
}

void start_after(store::Range& range, const ReadSource& source, const Segment& segment, ItemView start_key) {
  ItemKey key = source.start_place(start_key);
  if (!in_segment(key.hash, segment.number, segment.total)) {
    throw validation(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct "
        "Segment. TotalSegments: " +
        std::to_string(segment.total) + " Segment: " + std::to_string(segment.number));
  }
  key.bytes.push_back('\0');
  range.begin = std::move(key.bytes);
}

}  // namespace

Task<shapes::ScanOutput> scan(Service& service, wire::Context& context, const shapes::ScanInput& request) {
  return scan(service, context, request, ItemForm::json);
}

Task<shapes::ScanOutput> scan(Service& service, wire::Context& context, const shapes::ScanInput& request, ItemForm form) {
  const Segment segment = parse_segment(request);
  const Page::Options options = parse(request, form);
  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const TablePtr table = co_await service.tables().find(*snapshot, address);
  if (!table) throw resource_not_found();
  const bool consistent = request.consistent_read.value_or(false);
  const ReadSource source(table, request.index_name, consistent);
  service.throttle().admit(*table, Throttle::Kind::read, source.index());
  check_scalar_keys(*table, options.projection);
  check_scalar_keys(*table, options.filter);
  const bool fetches = must_fetch(source, request.select, options);
  store::Range range = source.segment_range(segment.number, segment.total);
  if (request.exclusive_start_key) start_after(range, source, segment, *request.exclusive_start_key);

  Page page(source, options, fetches);
  co_await page.read(*snapshot, std::move(range), store::Direction::forward, service.large_items());
  co_await page.fetch(*snapshot, consistent, service.large_items());

  const ConsumedUnits units = source.units(page.bytes, page.fetch_units, consistent);
  service.throttle().charge(*table, Throttle::Kind::read, units);

  shapes::ScanOutput output{
      .items = page.take_items(),
      .count = page.count,
      .scanned_count = page.scanned_count,
      .last_evaluated_key = page.last_evaluated_key(),
      .consumed_capacity = consumed_capacity(request.return_consumed_capacity, address.name, units)};
  co_return output;
}

}  // namespace tidemill::dynamodb

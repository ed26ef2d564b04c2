// Enable-, Disable-, Update- and DescribeKinesisStreamingDestination. A destination is in use at once, and DISABLING
// until what changed before has arrived. A table has one at a time.
#include <algorithm>

#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "wire/registry.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kInvalidState = "Table is not in a valid state to enable Kinesis Streaming Destination: ";
constexpr std::string_view kMicroseconds = "MICROSECOND";

wire::Error invalid_state(std::string_view reason) { return validation(std::string(kInvalidState).append(reason)); }

// AWS does not tell a stream that is not there from one that one may not use.
Task<void> require_stream_exists(wire::Context& context, std::string stream_arn) {
  namespace kinesis = wire::kinesis;
  try {
    (void)co_await context.registry().call<kinesis::ops::DescribeStreamSummary>(context, {.stream_arn = stream_arn});
  } catch (const wire::Error&) {
    throw validation("User does not have a permission to use kinesis stream");
  }
}

// Changes the table by `apply`, (Transaction&, Table&) -> Task<void>. Returns the table's name.
template <class Apply>
Task<std::string> change_table(wire::Context& context, std::string name, Apply apply) {
  const TableAddress address = resolve_table(context, name);
  co_await context.store().transact([&](store::Transaction& txn) -> Task<void> {
    std::optional<Table> table = co_await load_usable_table(txn, address);
    if (!table) throw table_not_found(address.name);
    co_await apply(txn, *table);
    save_table(txn, *table);
  });
  co_return address.name;
}

KinesisDestination* find_destination(Table& table, std::string_view stream_arn) {
  auto& all = table.features.kinesis;
  const auto found = std::ranges::find(all, stream_arn, &KinesisDestination::stream_arn);
  return found == all.end() ? nullptr : &*found;
}

// What was disabled, but has changes that have not arrived yet. Enabled meanwhile, later changes could overtake them.
Task<bool> is_disabling(store::Snapshot& snapshot, const KinesisDestination& destination) {
  if (destination.active) co_return false;
  const std::string key = outbox_key(destination.outbox);
  co_return (co_await snapshot.get(key)).has_value();
}

Task<std::string> status_of(store::Snapshot& snapshot, const KinesisDestination& destination) {
  if (destination.active) co_return "ACTIVE";
  co_return co_await is_disabling(snapshot, destination) ? "DISABLING" : "DISABLED";
}

}  // namespace

Task<shapes::EnableKinesisStreamingDestinationOutput> enable_kinesis_streaming_destination(
    Service&, wire::Context& context, const shapes::EnableKinesisStreamingDestinationInput& request) {
  const auto configuration =
      request.enable_kinesis_streaming_configuration.value_or(shapes::EnableKinesisStreamingConfiguration{});
  const std::string precision = configuration.approximate_creation_date_time_precision.value_or("");
  const TableAddress address = resolve_table(context, request.table_name);
  if (!co_await load_usable_table(*context.store().snapshot(), address)) throw table_not_found(address.name);
  co_await require_stream_exists(context, request.stream_arn);
  const std::string name =
      co_await change_table(context, request.table_name, [&](store::Transaction& txn, Table& table) -> Task<void> {
        const KinesisDestination* earlier = find_destination(table, request.stream_arn);
        if (table.features.active_kinesis() || (earlier && co_await is_disabling(txn, *earlier))) {
          throw invalid_state(
              "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE "
              "operation.");
        }
        enable_destination(txn, table, request.stream_arn, precision);
      });
  co_return shapes::EnableKinesisStreamingDestinationOutput{.table_name = name,
                                                            .stream_arn = request.stream_arn,
                                                            .destination_status = "ENABLING",
                                                            .enable_kinesis_streaming_configuration = configuration};
}

Task<shapes::DisableKinesisStreamingDestinationOutput> disable_kinesis_streaming_destination(
    Service&, wire::Context& context, const shapes::DisableKinesisStreamingDestinationInput& request) {
  const std::string name =
      co_await change_table(context, request.table_name, [&](store::Transaction& txn, Table& table) -> Task<void> {
        KinesisDestination* destination = find_destination(table, request.stream_arn);
        if (!destination || !destination->active) {
          throw invalid_state("KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.");
        }
        co_await end_destination(txn, *destination);
      });
  co_return shapes::DisableKinesisStreamingDestinationOutput{
      .table_name = name,
      .stream_arn = request.stream_arn,
      .destination_status = "DISABLING",
      .enable_kinesis_streaming_configuration = request.enable_kinesis_streaming_configuration};
}

Task<shapes::UpdateKinesisStreamingDestinationOutput> update_kinesis_streaming_destination(
    Service&, wire::Context& context, const shapes::UpdateKinesisStreamingDestinationInput& request) {
  const auto& configuration = request.update_kinesis_streaming_configuration;
  if (!configuration || !configuration->approximate_creation_date_time_precision) {
    throw validation(
        "Streaming destination cannot be updated with given parameters: "
        "UpdateKinesisStreamingConfiguration cannot be null or contain only null values");
  }
  const std::string& precision = *configuration->approximate_creation_date_time_precision;
  const std::string name =
      co_await change_table(context, request.table_name, [&](store::Transaction& txn, Table& table) -> Task<void> {
        KinesisDestination* destination = find_destination(table, request.stream_arn);
        if (!destination) {
          throw invalid_state("No streaming destination with streamArn: " + request.stream_arn +
                              " found for table with tableName: " + table.address.name);
        }
        if (!destination->active) {
          throw invalid_state("Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state.");
        }
        if (destination->precision == precision) {
          throw validation("Invalid Request: Precision is already set to the desired value of " + precision +
                           " for tableId: " + table.id.uuid() + ", kdsArn: " + request.stream_arn);
        }
        destination->precision = precision;
        const std::string key = outbox_key(destination->outbox);
        const auto bytes = co_await txn.get(key);
        if (!bytes) throw std::runtime_error("an active destination has no outbox");
        Outbox outbox = decode_outbox(*bytes);
        outbox.in_microseconds = precision == kMicroseconds;
        save_outbox(txn, outbox);
      });
  co_return shapes::UpdateKinesisStreamingDestinationOutput{.table_name = name,
                                                            .stream_arn = request.stream_arn,
                                                            .destination_status = "UPDATING",
                                                            .update_kinesis_streaming_configuration = configuration};
}

Task<shapes::DescribeKinesisStreamingDestinationOutput> describe_kinesis_streaming_destination(
    Service&, wire::Context& context, const shapes::DescribeKinesisStreamingDestinationInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const std::optional<Table> table = co_await load_usable_table(*snapshot, address);
  if (!table) throw table_not_found(address.name);
  shapes::DescribeKinesisStreamingDestinationOutput out{.table_name = address.name};
  auto& described = out.kinesis_data_stream_destinations.emplace();
  for (const KinesisDestination& destination : table->features.kinesis) {
    described.push_back(
        {.stream_arn = destination.stream_arn, .destination_status = co_await status_of(*snapshot, destination)});
    if (!destination.precision.empty()) {
      described.back().approximate_creation_date_time_precision = destination.precision;
    }
  }
  co_return out;
}

}  // namespace tidemill::dynamodb

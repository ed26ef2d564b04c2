// PutRecord and PutRecords: each is one transaction that appends to the logs of shards, so concurrent ones share a sync
// of the disk and never conflict. The position in its log, and with it a record's sequence number, comes from the
// commit.
#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "services/kinesis/data_record.h"
#include "services/kinesis/encryption.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/on_demand.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/stream_metrics.h"
#include "wire/faults.h"

namespace tidemill::kinesis {
namespace {

using base::cat;

constexpr size_t kRequestBytesMax = 10 << 20;  // data and partition keys together
constexpr size_t kBytesPerStep = 1024;  // written in about a microsecond (base::slice_is_over)
constexpr std::string_view kThroughputExceeded = "ProvisionedThroughputExceededException";

struct NewRecord {
  DataRecord record;
  HashKey hash = 0;
};

// Where a record went.
struct Placed {
  const Shard* shard = nullptr;
  bool throttled = false;
  uint32_t index = 0;  // within the commit
};

struct Written {
  StreamPtr stream;
  std::vector<Placed> records;
  store::Version version;

  [[nodiscard]] std::string sequence_number(const Placed& placed) const {
    return placed.shard->sequence_number({version, placed.index});
  }
};

HashKey hash_of_record(const std::string& partition_key, const std::optional<std::string>& explicit_key) {
  if (!explicit_key) return hash_of(partition_key);
  const auto key = parse_hash_key(*explicit_key);
  if (key) return *key;
  throw invalid_argument(
      cat("Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified "
          "value was ",
          *explicit_key));
}

// `entry`: a PutRecordInput or an entry of a PutRecordsInput, which must outlive the result.
template <class Entry>
NewRecord new_record(const Entry& entry) {
  return {.record = {.partition_key = entry.partition_key, .data = entry.data},
          .hash = hash_of_record(entry.partition_key, entry.explicit_hash_key)};
}

void check_size(const Stream& stream, const DataRecord& record) {
  if (record.size() <= static_cast<size_t>(stream.record_kib_max) << 10) return;
  throw invalid_argument(cat("Record of ", record.size(),
                             " bytes, with its partition key, exceeds the maximum record "
                             "size of stream ",
                             stream.address.name, ", which is ", stream.record_kib_max, " KiB."));
}

// A stream on demand may have to grow. What has been written is acknowledged whatever comes of this.
Task<void> scale_on_demand(Service& service, StreamPtr stream, const std::vector<NewRecord>& records) {
  if (!stream->on_demand) co_return;
  size_t bytes = 0;
  for (const NewRecord& record : records) bytes += record.record.size();
  const auto shards = service.on_demand_load().note(*stream, bytes, records.size(), service.clock().now());
  if (!shards) co_return;
  try {
    co_await grow_on_demand(service, stream->address, *shards);
  } catch (const std::runtime_error& error) {
    base::log_warning("stream on demand not scaled", {{"stream", stream->address.arn()}, {"reason", error.what()}});
  }
}

Task<Written> write(Service& service, const wire::Context& context, StreamAddress address,
                    const std::vector<NewRecord>& records) {
  auto [written, version] = co_await service.store().transact_versioned([&](store::Transaction& txn) -> Task<Written> {
    Written result{.stream = co_await service.streams().get(txn, address)};
    const Stream& stream = *result.stream;
    if (stream.status == Status::creating) throw stream_not_found(address);  // as on AWS
    for (const NewRecord& record : records) check_size(stream, record.record);
    result.records.reserve(records.size());
    const auto sealing = co_await sealing_of(service, context, stream);
    std::string envelope;
    if (sealing) engine::append_envelope(envelope, sealing->envelope);
    std::string sealed;
    std::string bytes;
    for (const NewRecord& record : records) {
      Placed placed{.shard = &stream.shard_of(record.hash)};
      // Conflicts are rare, and the throughput that a lost attempt has paid for is a fraction of a second's.
      placed.throttled = !service.throttle().admit_write(stream, *placed.shard, record.record.size());
      if (!placed.throttled) {
        DataRecord kept = record.record;
        if (sealing) {
          sealed = sealing->seal(kept.data);
          kept.data = sealed;
          kept.envelope = envelope;
        }
        encode_record(kept, bytes);
        const store::LogId log = shard_log(stream.id, placed.shard->number);
        placed.index = txn.append(log, bytes);
        if (base::slice_is_over(1 + bytes.size() / kBytesPerStep)) co_await base::give_way();
      }
      result.records.push_back(placed);
    }
    co_return result;
  });
  written.version = version;
  co_await service.retention().note_write(written.stream);
  co_await scale_on_demand(service, written.stream, records);
  co_return std::move(written);
}

// By shards, where shards are measured; else as one.
std::vector<ShardWrites> shard_writes(const Written& written, const std::vector<NewRecord>& records) {
  std::vector<ShardWrites> result;
  for (size_t i = 0; i < records.size(); ++i) {
    const Placed& placed = written.records[i];
    auto found = result.begin();
    if (!written.stream->metrics.empty()) found = std::ranges::find(result, placed.shard, &ShardWrites::shard);
    if (found == result.end()) found = result.insert(found, {.shard = placed.shard});
    if (placed.throttled) {
      found->throttled += 1;
    } else {
      found->records += 1;
      found->bytes += static_cast<double>(records[i].record.size());
    }
  }
  return result;
}

// The number is one of an earlier record, so what is written now comes after it anyway.
void check_ordering(store::Store& store, const StreamAddress& address, const std::optional<std::string>& number) {
  if (!number) return;
  const auto parsed = parse_sequence_number(*number);
  if (parsed && parsed->position.version <= store.snapshot()->version()) return;
  throw invalid_argument(cat("ExclusiveMinimumSequenceNumber ", *number, " used in PutRecord on stream ", address.name,
                             " under account ", address.account, " is invalid."));
}

// Only of streams that encrypt, as on AWS.
std::optional<std::string> shown_encryption(const Stream& stream) {
  if (stream.kms_key.empty()) return std::nullopt;
  return std::string(shapes::EncryptionType::kKms);
}

}  // namespace

Task<shapes::PutRecordOutput> put_record(Service& service, wire::Context& context,
                                         const shapes::PutRecordInput& request) {
  const StreamAddress address = stream_of(context, request);
  const StreamMeter meter(context.platform().usage, address);
  check_ordering(service.store(), address, request.sequence_number_for_ordering);
  const std::vector<NewRecord> records{new_record(request)};
  const Written written = co_await write(service, context, address, records);
  meter.wrote(false, *written.stream, shard_writes(written, records));
  const Placed& placed = written.records.front();
  if (placed.throttled) throw rate_exceeded(*written.stream, *placed.shard);
  co_return shapes::PutRecordOutput{.shard_id = placed.shard->id(),
                                    .sequence_number = written.sequence_number(placed),
                                    .encryption_type = shown_encryption(*written.stream)};
}

Task<shapes::PutRecordsOutput> put_records(Service& service, wire::Context& context,
                                           const shapes::PutRecordsInput& request) {
  const StreamAddress address = stream_of(context, request);
  const StreamMeter meter(context.platform().usage, address);
  std::vector<NewRecord> records;
  records.reserve(request.records.size());
  wire::EntryFaults faults(context, "kinesis", "PutRecords");
  std::vector<std::optional<wire::EntryFaults::Failure>> failures(request.records.size());
  size_t bytes = 0;
  for (size_t i = 0; i < request.records.size(); ++i) {
    NewRecord record = new_record(request.records[i]);
    bytes += record.record.size();
    failures[i] = faults.next(kThroughputExceeded);
    if (!failures[i]) records.push_back(std::move(record));
  }
  if (bytes > kRequestBytesMax) {
    throw invalid_argument(cat("Records size exceeds ", kRequestBytesMax >> 20, " MB limit"));
  }
  const Written written = co_await write(service, context, address, records);
  meter.wrote(true, *written.stream, shard_writes(written, records));
  shapes::PutRecordsOutput out{.failed_record_count = 0, .encryption_type = shown_encryption(*written.stream)};
  out.records.reserve(failures.size());
  auto next = written.records.begin();
  for (const auto& failure : failures) {
    if (failure) {
      ++*out.failed_record_count;
      out.records.push_back({.error_code = failure->code, .error_message = failure->message});
      continue;
    }
    const Placed& placed = *next++;
    if (placed.throttled) {
      ++*out.failed_record_count;
      out.records.push_back({.error_code = std::string(kThroughputExceeded),
                             .error_message = rate_exceeded(*written.stream, *placed.shard).message});
    } else {
      out.records.push_back({.sequence_number = written.sequence_number(placed), .shard_id = placed.shard->id()});
    }
  }
  co_return out;
}

}  // namespace tidemill::kinesis

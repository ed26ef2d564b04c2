#include "services/kinesis/shard_reader.h"

#include <algorithm>

#include "services/kinesis/data_record.h"
#include "services/kinesis/retention.h"
#include "store/position.h"

namespace tidemill::kinesis {

Task<ShardPage> read_shard(store::Snapshot& snapshot, const Stream& stream, const Shard& shard, store::Position after,
                           ReadLimits limits, base::Time now, RecordOpener& opener) {
  ShardPage page{.after = std::max(after, oldest_readable(stream, now))};
  const store::RecordVisitor visit = [&](store::Position position, std::string_view bytes) {
    const DataRecord record = decode_record(bytes);
    const base::Time arrival = std::chrono::floor<std::chrono::milliseconds>(position.version.time());
    page.at_end =
        page.records.size() < limits.records && (page.records.empty() || page.bytes + record.size() <= limits.bytes);
    if (!page.at_end) {
      const auto behind = std::chrono::duration_cast<std::chrono::milliseconds>(now - arrival);
      page.behind_ms = std::max<int64_t>(behind.count(), 1);  // 0 would say that there is nothing left
      return false;
    }
    const auto data = opener.open(record);
    if (!data) return false;
    auto& shown = page.records.emplace_back();
    shown.sequence_number = shard.sequence_number(position);
    shown.approximate_arrival_timestamp = arrival;
    shown.data = *data;
    shown.partition_key = record.partition_key;
    if (!record.envelope.empty()) shown.encryption_type = std::string(wire::kinesis::EncryptionType::kKms);
    page.bytes += record.size();
    page.after = position;
    return true;
  };
  const store::LogId log = shard_log(stream.id, shard.number);
  for (;;) {
    co_await snapshot.read_log(log, {page.after, limits.records + 1 - page.records.size()}, visit);
    if (!opener.lacks_key()) break;
    try {
      co_await opener.fetch();
    } catch (const wire::Error&) {
      if (page.records.empty()) throw;
      page.at_end = false;  // those before it are as readable as ever; the next read begins with it
      page.behind_ms = 1;
      co_return page;
    }
  }
  // Whatever commits from now on comes behind the snapshot; a place before trimmed records would be no better.
  if (page.at_end) page.after = std::max(page.after, store::after_version(snapshot.version()));
  co_return page;
}

}  // namespace tidemill::kinesis

#include "services/kinesis/user_record_reader.h"

#include <algorithm>

#include "services/kinesis/retention.h"
#include "store/position.h"

namespace tidemill::kinesis {

Task<void> UserRecordReader::read(store::Snapshot& snapshot, const Stream& stream, store::Position after,
                                  base::Time now, RecordOpener& opener) {
  after_ = UserRecordPosition::decode(after);
  const store::LogId log = shard_log(stream.id, shard_.number);
  // A record that was read in part is read again.
  store::Position from =
      std::max(after_.is_last() ? after_.log : store::before(after_.log), oldest_readable(stream, now));
  const store::RecordVisitor visit = [&](store::Position position, std::string_view bytes) {
    if (is_full()) return false;
    const DataRecord record = decode_record(bytes);
    const auto data = opener.open(record);
    if (!data) return false;
    from = position;
    return take_record(position, {.partition_key = record.partition_key, .data = *data});
  };
  for (;;) {
    co_await snapshot.read_log(log, from, visit);
    if (!opener.lacks_key()) co_return;
    try {
      co_await opener.fetch();
    } catch (const wire::Error&) {
      if (records_.empty()) throw;
      co_return;  // those before it are as readable as ever; the next read begins with it
    }
  }
}

// False: nothing more is wanted.
bool UserRecordReader::take_record(store::Position position, const DataRecord& record) {
  if (const auto user_records = parse_aggregated_record(record.data)) return take_aggregated(position, *user_records);
  const UserRecordPosition place{.log = position};
  if (place.encode() > after_.encode()) add(place, record.partition_key, record.data);
  return !is_full();
}

bool UserRecordReader::take_aggregated(store::Position position, const std::vector<UserRecord>& user_records) {
  const auto last = static_cast<uint32_t>(user_records.size() - 1);
  const bool is_begun = position == after_.log;
  // Right before the last one stands no other's position.
  for (uint32_t i = is_begun ? std::min(after_.user_record + 1, last) : 0; i <= last; ++i) {
    if (is_full()) return false;
    const UserRecordPosition place{.log = position, .user_record = i == last ? kLastUserRecord : i};
    if (is_foreign(user_records[i])) note_foreign(place.encode());
    else add(place, user_records[i].partition_key, user_records[i].data);
  }
  return !is_full();
}

void UserRecordReader::add(UserRecordPosition position, std::string_view partition_key, std::string_view data) {
  const base::Time arrival = std::chrono::floor<std::chrono::milliseconds>(position.log.version.time());
  std::string number = shard_.sequence_number(position.log);
  std::string event = lambda_event_json(
      origin_, {.partition_key = partition_key, .sequence_number = number, .data = data, .arrival = arrival});
  bytes_ += event.size();
  records_.push_back({.position = position.encode(),
                      .sequence_number = std::move(number),
                      .arrival = arrival,
                      .event_json = std::move(event),
                      .ordering_key = std::string(partition_key)});
}

bool UserRecordReader::is_full() const {
  return records_.size() >= limits_.count_max || (bytes_ >= limits_.bytes_max && !records_.empty());
}

bool UserRecordReader::is_foreign(const UserRecord& record) const {
  if (!leaves_out_foreign_) return false;
  const HashKey key = record.hash_key();
  return key < shard_.begin || key > shard_.end;
}

void UserRecordReader::note_foreign(store::Position position) {
  if (position <= last_foreign_) return;
  ++foreign_records_;
  last_foreign_ = position;
}

}  // namespace tidemill::kinesis

#include "engine/mappings/batch.h"

namespace tidemill::engine {

namespace {

constexpr std::string_view kOpen = R"({"Records":[)";
constexpr std::string_view kClose = "]}";

void append_list(std::string& out, const std::deque<StreamRecord>& records, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out.push_back(',');
    out.append(records[i].event_json);
  }
}

}  // namespace

Batch cut_batch(const std::deque<StreamRecord>& records, const BatchLimits& limits) {
  Batch batch{.count = 0, .payload_bytes = kOpen.size() + kClose.size() + limits.payload_extra, .full = false};
  for (const StreamRecord& record : records) {
    const bool is_behind = limits.last && record.position > *limits.last;
    if (is_behind || (limits.arrival_end && record.arrival >= *limits.arrival_end)) {
      batch.full = true;
      break;
    }
    const size_t bytes = record.event_json.size() + (batch.count == 0 ? 0 : 1);
    if (batch.count > 0 && batch.payload_bytes + bytes > limits.payload_max) {
      batch.full = true;
      break;
    }
    batch.payload_bytes += bytes;
    ++batch.count;
    if (batch.count >= limits.count_max || batch.payload_bytes >= limits.payload_max ||
        (limits.last && record.position == *limits.last)) {
      batch.full = true;
      break;
    }
  }
  return batch;
}

std::string batch_payload(const std::deque<StreamRecord>& records, const Batch& batch, std::string_view members) {
  std::string payload;
  payload.reserve(batch.payload_bytes + members.size());
  payload.append(kOpen);
  append_list(payload, records, batch.count);
  payload.push_back(']');
  payload.append(members);
  payload.push_back('}');
  return payload;
}

std::string record_list(const std::deque<StreamRecord>& records, size_t count) {
  std::string list;
  append_list(list, records, count);
  return list;
}

size_t expired_prefix(const std::deque<StreamRecord>& records, base::Time now, base::Duration age_max) {
  size_t count = 0;
  while (count < records.size() && now - records[count].arrival >= age_max) ++count;
  return count;
}

}  // namespace tidemill::engine

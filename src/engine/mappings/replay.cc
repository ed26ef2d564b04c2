#include "engine/mappings/replay.h"

#include "base/json.h"
#include "base/text.h"
#include "engine/mappings/batch.h"
#include "engine/mappings/checkpoint.h"
#include "engine/mappings/item_failures.h"
#include "engine/mappings/pinned_batch.h"
#include "engine/mappings/record_filter.h"

namespace tidemill::engine {

// What a document says of its batch.
struct DiscardedRange {
  std::string function_arn;
  std::string stream_arn;
  std::string shard_id;
  std::string first;  // sequence numbers
  std::string last;
  int64_t count = 0;
  std::string records;  // their events, if the document has them

  [[nodiscard]] std::string text() const {
    return base::cat(count, count == 1 ? " record " : " records ", first, "..", last, " of ", shard_id);
  }
};

namespace {

namespace json = base::json;
using base::cat;

constexpr size_t kRecordsPerRead = 1000;

// No batch of several records has more, however differently they were told then.
constexpr size_t kBatchBytesMax = 2 * kPayloadBytesMax;

const json::Value& member(const json::Value& value, std::string_view name) {
  const json::Value* found = value.is_object() ? value.find(name) : nullptr;
  if (!found) throw NotADocument(cat("this is no document of a discarded batch: it has no ", name));
  return *found;
}

std::string text_member(const json::Value& value, std::string_view name) {
  const json::Value& found = member(value, name);
  if (!found.is_string()) throw NotADocument(cat("this is no document of a discarded batch: ", name, " is no text"));
  return found.string();
}

DiscardedRange parse(std::string_view text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) throw NotADocument("this is no document of a discarded batch: no JSON object");
  DiscardedRange range;
  range.function_arn = text_member(member(*document, "requestContext"), "functionArn");
  const json::Value* of_table = document->find("DDBStreamBatchInfo");
  const json::Value& info = of_table ? *of_table : member(*document, "KinesisBatchInfo");
  range.stream_arn = text_member(info, "streamArn");
  range.shard_id = text_member(info, "shardId");
  range.first = text_member(info, "startSequenceNumber");
  range.last = text_member(info, "endSequenceNumber");
  range.count = member(info, "batchSize").to_int64().value_or(0);
  if (range.count < 1) throw NotADocument("this is no document of a discarded batch: batchSize is no number above zero");
  const json::Value* payload = document->find("payload");
  const json::Value* records = payload && payload->is_object() ? payload->find("Records") : nullptr;
  if (records && records->is_array()) {
    for (const json::Value& record : records->array()) {
      if (!range.records.empty()) range.records += ',';
      range.records += json::write(record);
    }
  }
  return range;
}

// What the function's error says of itself, behind a colon; nothing if it says nothing.
std::string error_message_of(std::string_view payload) {
  const auto document = json::parse(payload);
  const json::Value* message = document && document->is_object() ? document->find("errorMessage") : nullptr;
  return message && message->is_string() ? cat(": ", message->string()) : "";
}

// A function that reports the failures of single items (ReportBatchItemFailures) says that some were not taken.
bool says_failed(std::string_view payload) {
  const auto answer = json::parse(payload);
  if (!answer) return false;
  const auto failures = item_failures(*answer);
  return !failures || !failures->empty();
}

bool is_of(const Mapping& mapping, const DiscardedRange& range) {
  const std::string& source = mapping.event_source_arn;
  return mapping.function_arn == range.function_arn &&
         (source == range.stream_arn || source.starts_with(range.stream_arn + "/consumer/"));
}

}  // namespace

Task<ReplayReport> Replayer::replay(std::string document) {
  const DiscardedRange range = parse(document);
  const Mapping mapping = co_await mapping_of(range);
  ReplayReport report;
  std::string records = range.records;
  if (records.empty()) records = (co_await pinned_records(range, mapping)).value_or("");
  if (records.empty()) records = co_await records_of(range, mapping, report);
  if (records.empty()) co_return report;
  report = co_await invoke(range, mapping.report_item_failures, std::move(records));
  if (report.status == ReplayStatus::replayed) co_await unpin(range, mapping);
  co_return report;
}

Task<ReplayReport> Replayer::drop(std::string document) {
  const DiscardedRange range = parse(document);
  co_await unpin(range, co_await mapping_of(range));
  co_return ReplayReport{ReplayStatus::dropped, range.text()};
}

Task<std::optional<std::string>> Replayer::pinned_records(const DiscardedRange& range, const Mapping& mapping) {
  const auto bytes = co_await store_.snapshot()->get(pinned_batch_key(mapping.uuid, range.shard_id, range.first, range.last));
  if (!bytes) co_return std::nullopt;
  PinnedBatch batch = decode_pinned_batch(*bytes);
  if (batch.last_sequence_number != range.last) co_return std::nullopt;
  co_return std::move(batch.records_json);
}

Task<void> Replayer::unpin(const DiscardedRange& range, const Mapping& mapping) {
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    txn.erase(pinned_batch_key(mapping.uuid, range.shard_id, range.first, range.last));
    co_return;
  });
}

Task<Mapping> Replayer::mapping_of(const DiscardedRange& range) {
  Mapping found;
  found.event_source_arn = range.stream_arn;
  found.function_arn = range.function_arn;
  const auto snapshot = store_.snapshot();
  co_await snapshot->scan(all_mappings(), store::Direction::forward, [&](std::string_view, std::string_view bytes) {
    auto mapping = decode_mapping(bytes);
    if (!mapping || mapping->state == MappingState::deleting || !is_of(*mapping, range)) return true;
    found = *std::move(mapping);
    return false;
  });
  co_return found;
}

Task<std::string> Replayer::records_of(const DiscardedRange& range, const Mapping& mapping, ReplayReport& report) {
  StreamSource* source = nullptr;
  for (StreamSource* candidate : sources_) {
    if (candidate->owns(range.stream_arn)) source = candidate;
  }
  if (!source) throw NotADocument(cat("this is no document of a discarded batch: ", range.stream_arn, " is no stream"));
  const auto first = source->span_of(range.first);
  const auto last = source->span_of(range.last);
  if (!first || !last || last->last < first->last) {
    throw NotADocument("this is no document of a discarded batch: its sequence numbers are none of this server");
  }
  report = {ReplayStatus::lost, cat(range.text(), ": the stream does not hold them any more")};
  if (!co_await source->exists(range.stream_arn)) co_return "";

  const SequenceSpan span{first->before, last->last};
  const Found now = co_await find(*source, span, range, mapping, mapping.parallelization_factor);
  if (!now.is_more && (now.count == range.count || now.count == 0)) co_return now.records;
  report.detail = cat(range.text(), ": the stream holds ", now.is_more ? "more" : std::to_string(now.count),
                      now.count == 1 && !now.is_more ? " record" : " records",
                      " there that the mapping would take as one batch; it has been changed since");
  // With another ParallelizationFactor it may have taken just these.
  std::string records;
  for (int lanes = 1; lanes <= kLanesMax; ++lanes) {
    Found then = co_await find(*source, span, range, mapping, lanes);
    if (then.is_more || then.count != range.count || then.records == records) continue;
    if (!records.empty()) co_return "";
    records = std::move(then.records);
  }
  co_return records;
}

// Those of the first one's lane that pass the filter; none if the first is not there any more. Ends as soon as they are
// more than the batch had: what a document names may be a whole shard.
Task<Replayer::Found> Replayer::find(StreamSource& source, SequenceSpan span, const DiscardedRange& range, const Mapping& mapping,
                                     int lanes) {
  CompiledFilter compiled;
  const auto filter = compiled.of(mapping.filters, mapping.event_source_arn);
  std::optional<uint8_t> lane;
  Found found;
  store::Position after = span.before;
  while (after < span.last) {
    const auto read = co_await source.read(mapping, range.shard_id, after, kRecordsPerRead, kPayloadBytesMax);
    if (read.empty()) break;
    for (const StreamRecord& record : read) {
      if (record.position > span.last) break;
      if (!lane) {
        if (record.sequence_number != range.first) co_return Found{};
        lane = lane_of(record.ordering_key, static_cast<uint8_t>(lanes));
      }
      if (lane_of(record.ordering_key, static_cast<uint8_t>(lanes)) != *lane || (filter && !filter->passes(record.event_json))) continue;
      if (!found.records.empty()) found.records += ',';
      found.records += record.event_json;
      ++found.count;
      if (found.count > range.count || (found.count > 1 && found.records.size() > kBatchBytesMax)) {
        co_return Found{.count = found.count, .is_more = true};
      }
    }
    after = read.back().position;
  }
  co_return found;
}

Task<ReplayReport> Replayer::invoke(const DiscardedRange& range, bool reads_answer, std::string records) {
  const InvokeOutcome outcome = co_await invoker_.invoke(range.function_arn, cat("{\"Records\":[", records, "]}"));
  ReplayReport report;
  report.detail = cat(range.text(), " by ", range.function_arn);
  if (outcome.status != InvokeStatus::ok) {
    report.status = ReplayStatus::failed;
    report.detail += cat(": ", outcome.detail, error_message_of(outcome.payload));
  } else if (reads_answer && says_failed(outcome.payload)) {
    report.status = ReplayStatus::failed;
    report.detail += ": the function reported that some of them failed";
  }
  co_return report;
}

}  // namespace tidemill::engine

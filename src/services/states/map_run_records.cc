// How map runs, their plans and the ends of their children are kept.
#include "base/json_members.h"
#include "services/states/map_run.h"

namespace tidemill::states {

namespace {

constexpr auto kNameOf = [](Status status) { return name_of(status); };

constexpr auto kCursorMembers = [](auto& member, auto& cursor) {
  member("index", cursor.index);
  member("offset", cursor.offset);
  member.bytes("token", cursor.token);
  member("etag", cursor.etag);
  member("done", cursor.is_done);
  member("headers", cursor.headers);
};

std::vector<int64_t> numbers_of(const MapRunCounts& counts) {
  return {counts.running, counts.succeeded,       counts.failed,        counts.timed_out,
          counts.aborted, counts.pending_redrive, counts.not_redrivable};
}

std::optional<MapRunCounts> counts_of(std::vector<int64_t> numbers) {
  constexpr size_t kCounts = 7;
  constexpr size_t kCountsBefore = 5;  // without those of redrives
  if (numbers.size() == kCountsBefore) numbers.resize(kCounts);
  if (numbers.size() != kCounts) return std::nullopt;
  return MapRunCounts{.running = numbers[0],
                      .succeeded = numbers[1],
                      .failed = numbers[2],
                      .timed_out = numbers[3],
                      .aborted = numbers[4],
                      .pending_redrive = numbers[5],
                      .not_redrivable = numbers[6]};
}

constexpr auto kRunMembers = [](auto& member, auto& run) {
  member.as("arn", run.address, [](const MapRunAddress& address) { return address.arn(); }, parse_map_run_arn);
  member("parent_machine", run.parent.machine);
  member("parent_name", run.parent.name);
  member.bytes("parent_id", run.parent_id.bytes);
  member("frame", run.frame);
  member("attempt", run.attempt);
  member("state", run.state);
  member("revision", run.revision);
  member("role", run.role);
  member("express", run.has_express_children);
  member("phase", run.phase);
  member.check(run.phase <= MapPhase::over, "phase");
  member.as("status", run.status, kNameOf, status_of);
  member("started_us", run.started);
  member("stopped_us", run.stopped);
  member("error", run.error);
  member("cause", run.cause);
  member("concurrency_max", run.concurrency_max);
  member("tolerated_count", run.tolerated_count);
  member("tolerated_percentage", run.tolerated_percentage);
  member("items_known", run.items_known);
  member.part("cursor", "cursor of a map run", run.cursor, kCursorMembers);
  member("next_child", run.next_child);
  member.as("items", run.items, numbers_of, counts_of);
  member.as("executions", run.executions, numbers_of, counts_of);
  member("output_bytes", run.output_bytes);
  member.added("redrivable", run.is_redrivable);
  member.added("redrive_waiting", run.has_redrive_waiting);
  member.added("redrives", run.redrives);
  member("redriven_us", run.redriven);
};

// Null: there is none.
constexpr auto kDocument = [](auto& member, std::string_view name, auto& document) {
  member.as_when(document != nullptr, name, document, [](const asl::Document& value) { return *value; },
                 [](json::Value value) { return asl::make_document(std::move(value)); });
};

constexpr auto kReaderMembers = [](auto& member, auto& reader) {
  member("resource", reader.resource);
  kDocument(member, "arguments", reader.arguments);
  member("input_type", reader.input_type);
  member("header_location", reader.header_location);
  member("headers", reader.headers);
  member.as("delimiter", reader.delimiter, [](char delimiter) { return std::string(1, delimiter); },
            [](const std::string& text) { return text.size() == 1 ? std::optional(text[0]) : std::nullopt; });
  member("items_max", reader.items_max);
  member("items_pointer", reader.items_pointer);
  member("owner", reader.expected_bucket_owner);
};

constexpr auto kBatcherMembers = [](auto& member, auto& batcher) {
  member("items_max", batcher.items_max);
  member("bytes_max", batcher.bytes_max);
  kDocument(member, "input", batcher.input);
};

constexpr auto kWriterMembers = [](auto& member, auto& writer) {
  member("resource", writer.resource);
  kDocument(member, "arguments", writer.arguments);
  member("transformation", writer.transformation);
  member("output_type", writer.output_type);
};

constexpr auto kPlanMembers = [](auto& member, auto& plan) {
  member.part("reader", "reader of a map run", plan.reader, kReaderMembers);
  member.part("batcher", "batcher of a map run", plan.batcher, kBatcherMembers);
  member.part("writer", "writer of a map run", plan.writer, kWriterMembers);
};

constexpr auto kChildEndMembers = [](auto& member, auto& end) {
  member("arn", end.arn);
  member("machine_arn", end.machine_arn);
  member("name", end.name);
  member("input", end.input);
  member.as("status", end.status, kNameOf, status_of);
  member("output", end.output);
  member("error", end.error);
  member("cause", end.cause);
  member("started_us", end.started);
  member("stopped_us", end.stopped);
};

}  // namespace

std::string encode_map_run(const MapRunRecord& run) { return json::encode(run, kRunMembers); }

MapRunRecord decode_map_run(std::string_view bytes) {
  auto run = json::decode<MapRunRecord>("map run", bytes, kRunMembers);
  run.parent.account = run.address.account;
  run.parent.region = run.address.region;
  return run;
}

std::string encode_plan(const asl::MapPlan& plan) { return json::encode(plan, kPlanMembers); }

asl::MapPlan decode_plan(std::string_view bytes) {
  return json::decode<asl::MapPlan>("plan of a map run", bytes, kPlanMembers);
}

std::string encode_child_end(const ChildEnd& end) { return json::encode(end, kChildEndMembers); }

ChildEnd decode_child_end(std::string_view bytes) {
  return json::decode<ChildEnd>("end of a map run's child", bytes, kChildEndMembers);
}

}  // namespace tidemill::states

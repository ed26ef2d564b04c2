#include "services/states/map_results.h"

#include "base/executor.h"
#include "base/json_record.h"
#include "base/text.h"
#include "engine/targets/bucket_access.h"
#include "services/states/item_source.h"

namespace tidemill::states {

using base::cat;

namespace {

using Transformation = asl::ResultWriter::Transformation;
using OutputType = asl::ResultWriter::OutputType;

constexpr size_t kResultsAtOnce = 64;  // read by one scan
// What it takes to write a result, about (base::slice_is_over).
constexpr size_t kStepsOfResult = 8;
constexpr size_t kBytesPerStep = 128;
constexpr int64_t kOutputBytesMax = static_cast<int64_t>(asl::kPayloadBytesMax);

bool has_files(const asl::MapPlan& plan) { return plan.writer && !plan.writer->resource.empty(); }

Transformation transformation_of(const asl::MapPlan& plan) {
  return plan.writer ? plan.writer->transformation : Transformation::compact;
}

// As it stands in the files.
std::string record_of(const ChildEnd& end) {
  std::string out;
  json::Writer writer(out);
  const auto member = [&](std::string_view name, std::string_view text) {
    writer.key(name);
    writer.string(text);
  };
  writer.begin_object();
  member("ExecutionArn", end.arn);
  member("Input", end.input);
  writer.key("InputDetails");
  writer.raw(R"({"Included":true})");
  member("Name", end.name);
  if (end.output) {
    member("Output", *end.output);
    writer.key("OutputDetails");
    writer.raw(R"({"Included":true})");
  }
  if (end.error) member("Error", *end.error);
  if (end.cause) member("Cause", *end.cause);
  member("StartDate", base::iso_milliseconds(end.started) + "Z");
  member("StateMachineArn", end.machine_arn);
  member("Status", name_of(end.status));
  member("StopDate", base::iso_milliseconds(end.stopped) + "Z");
  writer.end_object();
  return out;
}

// Of a child that was not begun, under the name that it would have.
std::string record_of_pending(const MapRunRecord& run, uint64_t index, std::string_view input) {
  const ExecutionAddress child{run.address.account, run.address.region, run.address.child_machine(),
                               child_name(map_run_key(run.address), index)};
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("Input");
  writer.string(input);
  writer.key("InputDetails");
  writer.raw(R"({"Included":true})");
  json::write_member(writer, "Name", child.name);
  json::write_member(writer, "StateMachineArn", child.machine_arn());
  json::write_member(writer, "Status", std::string_view("PENDING"));
  writer.end_object();
  return out;
}

// The children's results one after the other, each as JSON text.
using ResultVisitor = std::function<Task<void>(const std::string& value)>;
Task<void> each_result(store::Store& store, std::string run_key, const ResultVisitor& visit) {
  store::Range range = store::Range::prefix(map_part_key(run_key, 'o'));
  for (;;) {
    std::vector<std::string> values;
    uint64_t last = 0;
    co_await store.snapshot()->scan(range, store::first(kResultsAtOnce),
                                    [&](std::string_view key, std::string_view value) {
                                      last = index_of_child_key(key);
                                      values.emplace_back(value);
                                      return true;
                                    });
    for (const std::string& value : values) co_await visit(value);
    if (values.size() < kResultsAtOnce) co_return;
    range.begin = map_child_key(run_key, 'o', last + 1);
  }
}

// What the transformation makes of an end: members of an array, without its brackets, `separator` between them.
std::string transformed(Transformation transformation, const ChildEnd& end, std::string_view separator) {
  if (transformation == Transformation::none || !end.output) return record_of(end);
  if (transformation == Transformation::compact) return *end.output;
  const Payload output = Payload::of_text(*end.output);
  if (!output.document()->is_array()) return *end.output;
  std::string out;
  for (const json::Value& value : output.document()->array()) {
    if (!out.empty()) out += separator;
    out += json::write(value);
  }
  return out;
}

// Files of one status: SUCCEEDED_0.json, SUCCEEDED_1.json …
class Files {
 public:
  Files(engine::BucketAccess& bucket, std::string folder, std::string_view name, OutputType type)
      : bucket_(bucket), folder_(std::move(folder)), name_(name), is_lines_(type == OutputType::jsonl) {}

  [[nodiscard]] std::string_view separator() const { return is_lines_ ? "\n" : ","; }

  Task<void> add(std::string text) {
    if (text.empty()) co_return;
    if (!content_.empty()) content_ += separator();
    content_ += text;
    if (content_.size() >= kResultFileBytesMax) co_await close();
  }
  Task<void> close() {
    if (content_.empty()) co_return;
    std::string body = is_lines_ ? content_ + "\n" : cat("[", content_, "]");
    content_.clear();
    const std::string key = cat(folder_, name_, "_", files_.size(), is_lines_ ? ".jsonl" : ".json");
    files_.push_back(json::Object{{"Key", key}, {"Size", body.size()}});
    (void)co_await bucket_.put(key, std::move(body));
  }
  [[nodiscard]] json::Array take() { return std::move(files_); }

 private:
  engine::BucketAccess& bucket_;
  const std::string folder_;
  const std::string_view name_;
  const bool is_lines_;
  std::string content_;
  json::Array files_;
};

Task<asl::Document> write_files(wire::Platform& platform, LongEvaluations& evaluations, const asl::MapPlan& plan,
                                const MapRunRecord& run, PendingInputs next_pending) {
  const auto error = asl::error_name::kResultWriterFailed;
  const asl::ResultWriter& writer = *plan.writer;
  const std::string name = argument_of(writer.arguments, "Bucket", true, error);
  std::string folder = argument_of(writer.arguments, "Prefix", false, error);
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  folder += cat(run.address.uuid, "/");
  engine::BucketAccess bucket(platform, run.parent.arn(), name, std::nullopt, principal_of(run));
  try {
    Files succeeded(bucket, folder, "SUCCEEDED", writer.output_type);
    Files failed(bucket, folder, "FAILED", writer.output_type);
    Files pending(bucket, folder, "PENDING", writer.output_type);
    co_await each_result(platform.store, map_run_key(run.address), [&](const std::string& value) -> Task<void> {
      bool has_succeeded = false;
      std::string text = co_await evaluations.run_large(value.size(), [&] {
        const ChildEnd end = decode_child_end(value);
        has_succeeded = end.status == Status::succeeded;
        return has_succeeded ? transformed(writer.transformation, end, succeeded.separator()) : record_of(end);
      });
      if (base::slice_is_over(kStepsOfResult + value.size() / kBytesPerStep)) co_await base::give_way();
      co_await (has_succeeded ? succeeded : failed).add(std::move(text));
    });
    co_await succeeded.close();
    co_await failed.close();
    uint64_t child = run.next_child;
    while (const auto input = co_await next_pending()) co_await pending.add(record_of_pending(run, child++, *input));
    co_await pending.close();
    json::Object files{{"FAILED", failed.take()}, {"PENDING", pending.take()}, {"SUCCEEDED", succeeded.take()}};
    const json::Object manifest{
        {"DestinationBucket", name}, {"MapRunArn", run.address.arn()}, {"ResultFiles", std::move(files)}};
    (void)co_await bucket.put(folder + "manifest.json", json::write(json::Value(manifest)));
  } catch (const engine::CallRefused& refused) {
    throw asl::StateError(error, refused.what(), false);
  }
  json::Object details{{"Bucket", name}, {"Key", folder + "manifest.json"}};
  co_return asl::make_document(
      json::Object{{"MapRunArn", run.address.arn()}, {"ResultWriterDetails", std::move(details)}});
}

}  // namespace

std::string result_to_keep(const ChildEnd& end, const asl::MapPlan& plan) {
  if (has_files(plan)) return encode_child_end(end);
  return end.status == Status::succeeded ? transformed(transformation_of(plan), end, ",") : "";
}

void keep_result(store::Transaction& txn, std::string_view key, std::string_view result, const asl::MapPlan& plan,
                 MapRunRecord& run) {
  if (has_files(plan)) return txn.put(key, result);
  if (result.empty()) return;  // it has failed, or nothing is left of an empty array
  run.output_bytes += static_cast<int64_t>(result.size()) + 1;
  if (run.output_bytes <= kOutputBytesMax) txn.put(key, result);
}

Task<asl::Document> result_of(wire::Platform& platform, LongEvaluations& evaluations, const asl::MapPlan& plan,
                              const MapRunRecord& run, PendingInputs pending) {
  if (run.status == Status::aborted) co_return nullptr;
  if (has_files(plan)) co_return co_await write_files(platform, evaluations, plan, run, std::move(pending));
  if (run.status != Status::succeeded) co_return nullptr;
  if (run.output_bytes > kOutputBytesMax) throw asl::StateError::too_large(run.state);
  std::string text = "[";
  co_await each_result(platform.store, map_run_key(run.address), [&](const std::string& value) -> Task<void> {
    if (text.size() > 1) text += ',';
    text += value;
    co_return;
  });
  // Each may nest as deep as an output may; whether all of them together may, is seen when the state hands them on.
  text += ']';
  co_return co_await evaluations.run_large(text.size(), [&] {
    auto outputs = json::parse(text, json::kDepthMax + 1);
    if (!outputs) throw DamagedState("a stored result of a map run is damaged");
    return asl::make_document(*std::move(outputs));
  });
}

}  // namespace tidemill::states

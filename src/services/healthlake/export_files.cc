#include "services/healthlake/export_files.h"

#include "base/executor.h"
#include "base/text.h"
#include "lang/fhir/resource_types.h"
#include "lang/fhir/time_range.h"
#include "services/healthlake/resource_record.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

namespace {

// Updates that are read before their resources are.
constexpr size_t kBatchEntries = 64;

class LineReader {
 public:
  LineReader(store::Snapshot& snapshot, std::string_view datastore_id, std::string_view type, const ExportJob& job,
             size_t file_bytes)
      : snapshot_(snapshot), keys_(datastore_id), type_(type), job_(job), file_bytes_(file_bytes) {
    lines_.last = job.cursor;
  }

  Task<ExportLines> read() {
    while (!lines_.is_last && lines_.text.size() < file_bytes_) {
      const std::vector<std::string> updates = co_await read_updates();
      for (const std::string& key : updates) {
        if (lines_.text.size() >= file_bytes_) co_return std::move(lines_);
        co_await add(keys_.update_of(key));
        lines_.last = key;
      }
      lines_.is_last = updates.size() < kBatchEntries;
      co_await base::give_way();
    }
    co_return std::move(lines_);
  }

 private:
  Task<std::vector<std::string>> read_updates() {
    store::Range range =
        keys_.updates(type_, job_.since.value_or(lang::fhir::kBeginningOfTime), lang::fhir::kEndOfTime);
    if (!lines_.last.empty()) range.begin = lines_.last + '\0';
    std::vector<std::string> updates;
    const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
      updates.emplace_back(key);
      return true;
    };
    co_await snapshot_.scan(range, store::first(kBatchEntries), visit);
    co_return updates;
  }

  // A line if this was the newest version when the job began. Every version has its update in the index and stays in
  // the store, so the answer is the same whenever it is asked for.
  Task<void> add(const DatastoreKeys::Update& update) {
    const auto newest = co_await snapshot_.get(keys_.resource(type_, update.id));
    if (!newest) co_return;
    const ResourceRecord record = decode_resource(*newest);
    if (record.version == update.version) co_return add_line(record);
    if (record.epoch <= job_.epoch) co_return;  // a later one is in the export
    const uint64_t next_version = update.version + 1;
    if (record.version != next_version) {
      const auto next = co_await snapshot_.get(keys_.version(type_, update.id, next_version));
      if (!next || decode_resource(*next).epoch <= job_.epoch) co_return;
    }
    const auto own = co_await snapshot_.get(keys_.version(type_, update.id, update.version));
    if (own) add_line(decode_resource(*own));
  }

  void add_line(const ResourceRecord& record) {
    if (record.deleted || record.epoch > job_.epoch) return;
    lines_.text.append(record.json).push_back('\n');
    ++lines_.count;
  }

  store::Snapshot& snapshot_;
  const DatastoreKeys keys_;
  const std::string type_;
  const ExportJob& job_;
  const size_t file_bytes_;
  ExportLines lines_;
};

}  // namespace

std::vector<std::string> types_of(const ExportJob& job) {
  if (!job.types.empty()) return job.types;
  const auto all = lang::fhir::resource_types();
  return {all.begin(), all.end()};
}

Task<ExportLines> read_lines(store::Store& store, std::string_view datastore_id, std::string_view type,
                             const ExportJob& job, size_t file_bytes) {
  const auto snapshot = store.snapshot();
  LineReader reader(*snapshot, datastore_id, type, job, file_bytes);
  co_return co_await reader.read();
}

std::string file_name(const ExportJob& job, std::string_view type, int64_t index) {
  return base::cat(type, "/", type, "-", job.number, "-", index, "-0.ndjson");
}

std::string manifest_of(std::string_view datastore_id, const ExportJob& job, const std::vector<ExportFile>& files) {
  std::string out;
  json::Writer writer(out);
  const auto text = [&](std::string_view name, std::string_view value) { writer.key(name), writer.string(value); };
  writer.begin_object();
  text("transactionTime", lang::fhir::write_instant(job.began.value_or(job.submitted)));
  text("datastoreId", datastore_id);
  text("jobId", job.id);
  if (job.since) text("since", lang::fhir::write_instant(*job.since));
  int64_t resources = 0;
  for (const ExportFile& file : files) resources += file.count;
  writer.key("resourceCount"), writer.integer(resources);
  writer.key("output");
  writer.begin_array();
  for (const ExportFile& file : files) {
    writer.begin_object();
    text("type", file.type);
    text("url", file.url);
    writer.key("count"), writer.integer(file.count);
    writer.end_object();
  }
  writer.end_array();
  writer.key("error");
  writer.begin_array();
  writer.end_array();
  writer.end_object();
  return out;
}

}  // namespace tidemill::healthlake

#include "services/healthlake/export_job.h"

#include "base/hex.h"
#include "base/json_members.h"
#include "base/text.h"
#include "services/healthlake/bus_events.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/store_keys.h"
#include "store/timer.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr std::string_view kScheme = "s3://";

// Time, a count and chance: so that ids sort as the jobs came.
std::string new_job_id(base::Time now, int64_t count) {
  constexpr int kTimeDigits = 12;
  constexpr int kCountDigits = 8;
  constexpr size_t kDigits = 32;
  const auto since_1970 = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch();
  std::string id = base::hex(static_cast<uint64_t>(since_1970.count()), kTimeDigits) +
                   base::hex(static_cast<uint32_t>(count), kCountDigits) + new_id();
  id.resize(kDigits);
  return id;
}

// Of 19 digits at most.
int64_t new_number() {
  int64_t number = 0;
  for (const char c : new_id().substr(0, 15)) number = number * 16 + base::hex_digit(c);
  return number;
}

Task<void> begin_soon(store::Transaction& txn, const DatastoreAddress& address, const std::string& job,
                      base::Time now) {
  const store::Timer timer{.kind = std::string(kExportTimer), .id = cat(address.text(), "/", job), .due = now};
  co_await store::set_timer(txn, timer);
}

Task<Datastore> require_active(store::Transaction& txn, const DatastoreAddress& address) {
  Datastore datastore = co_await load_datastore(txn, address);
  if (datastore.status != wire::healthlake::DatastoreStatus::kActive) {
    throw invalid(cat("Data store ", address.id, " is ", datastore.status, "."));
  }
  co_return datastore;
}

ExportJob new_job(const Datastore& datastore, const ExportOrder& order, base::Time now) {
  ExportJob job{.id = new_job_id(now, datastore.jobs),
                .name = order.name,
                .status = std::string(JobStatus::kSubmitted),
                .submitted = std::chrono::floor<std::chrono::milliseconds>(now),
                .kms_key = order.kms_key,
                .role = order.role,
                .since = order.since,
                .types = order.types,
                .number = new_number()};
  const bool ends_with_slash = order.s3_uri.ends_with('/');
  job.s3_uri = cat(order.s3_uri, ends_with_slash ? "" : "/", datastore.address.id, "-FHIR_EXPORT-", job.id, "/");
  return job;
}

bool waits_for_others(const Datastore& datastore) {
  const auto tag = datastore.tags.find(std::string(kExportTag));
  return tag != datastore.tags.end() && tag->second == kExportQueue;
}

// The oldest that waits.
Task<std::optional<ExportJob>> next_queued(store::Transaction& txn, const DatastoreKeys& keys) {
  std::optional<ExportJob> found;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    ExportJob job = decode_job(keys.id_of_job(key), value);
    if (job.status == JobStatus::kQueued) found = std::move(job);
    return !found;
  };
  co_await txn.scan(keys.jobs(), store::Direction::forward, visit);
  co_return found;
}

constexpr auto kJobMembers = [](auto& member, auto& job) {
  member("name", job.name);
  member("status", job.status);
  member("submitted_us", job.submitted);
  member("ended_us", job.ended);
  member("s3_uri", job.s3_uri);
  member("kms_key", job.kms_key);
  member("role", job.role);
  member("message", job.message);
  member("since_us", job.since);
  member("types", job.types);
  member("epoch", job.epoch);
  member("began_us", job.began);
  member("number", job.number);
  member("type", job.type);
  member.bytes("cursor", job.cursor);
  member("files_of_type", job.files_of_type);
  member("files", job.files);
};

constexpr auto kFileMembers = [](auto& member, auto& file) {
  member("type", file.type);
  member("url", file.url);
  member("count", file.count);
};

}  // namespace

bool ExportJob::has_ended() const {
  return status == JobStatus::kCompleted || status == JobStatus::kFailed || status == JobStatus::kCancelCompleted;
}

std::string ExportJob::bucket() const {
  const std::string_view rest = std::string_view(s3_uri).substr(kScheme.size());
  return std::string(rest.substr(0, rest.find('/')));
}

std::string ExportJob::key_of(std::string_view file) const {
  const std::string_view rest = std::string_view(s3_uri).substr(kScheme.size());
  return cat(rest.substr(rest.find('/') + 1), file);
}

ExportJob decode_job(std::string id, std::string_view bytes) {
  return json::decode("export job", bytes, kJobMembers, ExportJob{.id = std::move(id)});
}

void save_job(store::Transaction& txn, std::string_view datastore_id, const ExportJob& job) {
  txn.put(DatastoreKeys(datastore_id).job(job.id), json::encode(job, kJobMembers));
}

Task<std::optional<ExportJob>> find_job(store::Snapshot& reader, std::string_view datastore_id, std::string id) {
  const auto bytes = co_await reader.get(DatastoreKeys(datastore_id).job(id));
  if (!bytes) co_return std::nullopt;
  co_return decode_job(std::move(id), *bytes);
}

std::string encode_file(const ExportFile& file) { return json::encode(file, kFileMembers); }

Task<std::vector<ExportFile>> read_files(store::Snapshot& snapshot, std::string_view datastore_id,
                                         std::string_view job_id) {
  std::vector<ExportFile> files;
  const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
    files.push_back(json::decode<ExportFile>("file of an export job", value, kFileMembers));
    return true;
  };
  co_await snapshot.scan(DatastoreKeys(datastore_id).job_files(job_id), store::Direction::forward, visit);
  co_return files;
}

Task<ExportJob> submit_export(store::Store& store, const DatastoreAddress& address, const ExportOrder& order,
                              base::Time now) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<ExportJob> {
    Datastore datastore = co_await require_active(txn, address);
    const DatastoreKeys keys(address.id);
    if (!order.token.empty()) {
      if (const auto id = co_await txn.get(keys.job_token(order.token))) {
        if (auto job = co_await find_job(txn, address.id, *id)) co_return *std::move(job);
      }
    }
    ExportJob job = new_job(datastore, order, now);
    if (!datastore.exporting.empty() && !waits_for_others(datastore)) {
      throw errors::throttling_exception(
          cat("The data store has an export job that runs: ", datastore.exporting, ". One runs at a time."));
    }
    ++datastore.jobs;
    if (datastore.exporting.empty()) {
      datastore.exporting = job.id;
      co_await begin_soon(txn, address, job.id, now);
    } else {
      job.status = JobStatus::kQueued;
    }
    save_datastore(txn, datastore);
    save_job(txn, address.id, job);
    co_await tell_bus(txn, address, job, now);
    if (!order.token.empty()) txn.put(keys.job_token(order.token), job.id);
    co_return job;
  });
}

Task<ExportJob> cancel_export(store::Store& store, const DatastoreAddress& address, const std::string& id,
                              base::Time now) {
  co_return co_await store.transact([&](store::Transaction& txn) -> Task<ExportJob> {
    (void)co_await require_active(txn, address);
    auto job = co_await find_job(txn, address.id, id);
    if (!job) throw no_job(id);
    if (job->has_ended()) throw errors::conflict_exception(cat("Export job ", id, " is ", job->status, "."));
    if (job->status == JobStatus::kQueued) {
      job->status = JobStatus::kCancelCompleted;
      job->ended = std::chrono::floor<std::chrono::milliseconds>(now);
    } else {
      job->status = JobStatus::kCancelSubmitted;
    }
    save_job(txn, address.id, *job);
    co_return *std::move(job);
  });
}

Task<void> end_export(store::Transaction& txn, Datastore datastore, ExportJob job, base::Time now) {
  job.ended = std::chrono::floor<std::chrono::milliseconds>(now);
  save_job(txn, datastore.address.id, job);
  co_await tell_bus(txn, datastore.address, job, now);
  datastore.exporting.clear();
  if (auto next = co_await next_queued(txn, DatastoreKeys(datastore.address.id))) {
    next->status = JobStatus::kSubmitted;
    datastore.exporting = next->id;
    save_job(txn, datastore.address.id, *next);
    co_await tell_bus(txn, datastore.address, *next, now);
    co_await begin_soon(txn, datastore.address, next->id, now);
  }
  save_datastore(txn, datastore);
}

}  // namespace tidemill::healthlake

#include "services/healthlake/export_run.h"

#include "base/log.h"
#include "base/text.h"
#include "lang/fhir/time_range.h"
#include "services/healthlake/bus_events.h"
#include "services/healthlake/export_files.h"
#include "services/healthlake/store_keys.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr size_t kMessageSizeMax = 2048;

// Of the timer's id.
std::optional<std::pair<DatastoreAddress, std::string>> parse_timer(std::string_view id) {
  const size_t slash = id.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto address = DatastoreAddress::parse(id.substr(0, slash));
  if (!address) return std::nullopt;
  return std::pair(*std::move(address), std::string(id.substr(slash + 1)));
}

}  // namespace

Task<void> Exports::go_on(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure) {
  const auto named = parse_timer(timer.id);
  if (!named) throw std::runtime_error("the timer of an export job is damaged");
  const auto& [address, id] = *named;
  std::optional<engine::Refusal> refusal;
  try {
    auto job = co_await begin(address, id, *tenure);
    if (!job) co_return;
    if (job->status == JobStatus::kInProgress) co_await write_all(address, *std::move(job), *tenure);
  } catch (const engine::CallRefused& refused) {
    refusal = refused.refusal();
    base::log_warning("an export of a data store failed", {{"job", id}, {"reason", refusal->message}});
  }
  co_await finish(timer, address, id, refusal);
}

// The job as it stands, begun if it had not; nothing: it has ended.
Task<std::optional<ExportJob>> Exports::begin(const DatastoreAddress& address, std::string id,
                                              const engine::Tenure& tenure) {
  using Begun = std::optional<ExportJob>;
  co_return co_await platform_.store.transact([&](store::Transaction& txn) -> Task<Begun> {
    co_await tenure.fence(txn);
    auto datastore = co_await find_datastore(txn, address);
    auto job = co_await find_job(txn, address.id, id);
    if (!datastore || !job || job->has_ended()) co_return std::nullopt;
    if (job->status == JobStatus::kSubmitted) {
      const base::Time now = platform_.clock.now();
      job->status = JobStatus::kInProgress;
      job->epoch = datastore->epoch;
      job->began = now;
      ++datastore->epoch;
      datastore->epoch_began = std::max(datastore->epoch_began, now);
      save_datastore(txn, *datastore);
      save_job(txn, address.id, *job);
      co_await tell_bus(txn, address, *job, now);
    }
    co_return job;
  });
}

Task<void> Exports::write_all(const DatastoreAddress& address, ExportJob job, const engine::Tenure& tenure) {
  wire::Principal role = wire::Principal::role({.role_arn = job.role,
                                                .session_name = "HealthLake-Export",
                                                .service = "healthlake.amazonaws.com",
                                                .source_arn = address.arn()});
  engine::BucketAccess bucket(platform_, address.arn(), job.bucket(), std::nullopt, std::move(role));
  const auto types = types_of(job);
  while (static_cast<size_t>(job.type) < types.size()) {
    const std::string_view type = types[static_cast<size_t>(job.type)];
    const ExportLines lines = co_await read_lines(platform_.store, address.id, type, job, file_bytes_);
    std::string file;
    if (lines.count > 0) {
      const std::string name = file_name(job, type, ++job.files_of_type);
      co_await bucket.put(job.key_of(name), lines.text);
      file = encode_file({std::string(type), job.url_of(name), lines.count});
    }
    job.cursor = lines.last;
    if (lines.is_last) {
      ++job.type;
      job.cursor.clear();
      job.files_of_type = 0;
      if (file.empty()) continue;  // nothing to note: it would be found empty again
    }
    if (!co_await save_progress(address, job, file, tenure)) co_return;
    if (!file.empty()) ++job.files;
  }
  co_await write_manifest(address, job, bucket);
}

// False: the job is not to go on.
Task<bool> Exports::save_progress(const DatastoreAddress& address, const ExportJob& job, const std::string& file,
                                  const engine::Tenure& tenure) {
  co_return co_await platform_.store.transact([&](store::Transaction& txn) -> Task<bool> {
    co_await tenure.fence(txn);
    const auto stored = co_await find_job(txn, address.id, job.id);
    if (!stored || stored->status != JobStatus::kInProgress) co_return false;
    ExportJob next = job;
    if (!file.empty()) {
      txn.put(DatastoreKeys(address.id).job_file(job.id, static_cast<uint32_t>(job.files)), file);
      ++next.files;
    }
    save_job(txn, address.id, next);
    co_return true;
  });
}

Task<void> Exports::write_manifest(const DatastoreAddress& address, const ExportJob& job,
                                   engine::BucketAccess& bucket) {
  const auto snapshot = platform_.store.snapshot();
  const auto files = co_await read_files(*snapshot, address.id, job.id);
  co_await bucket.put(job.key_of("manifest.json"), manifest_of(address.id, job, files));
}

Task<void> Exports::finish(const store::Timer& timer, const DatastoreAddress& address, const std::string& id,
                           std::optional<engine::Refusal> refusal) {
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    auto datastore = co_await find_datastore(txn, address);
    auto job = co_await find_job(txn, address.id, id);
    if (!datastore || !job || job->has_ended()) co_return;
    if (job->status == JobStatus::kCancelSubmitted) {
      job->status = JobStatus::kCancelCompleted;
    } else {
      job->status = refusal ? JobStatus::kFailed : JobStatus::kCompleted;
      if (refusal) job->message = cat(refusal->code, ": ", refusal->message).substr(0, kMessageSizeMax);
    }
    co_await end_export(txn, *std::move(datastore), *std::move(job), platform_.clock.now());
  });
}

}  // namespace tidemill::healthlake

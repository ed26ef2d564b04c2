// What a bucket's inventory timer does: writes the reports that are due.
#include <charconv>
#include <chrono>
#include <exception>
#include <map>

#include "base/hex.h"
#include "base/json_record.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "engine/targets/bucket_access.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/inventory.h"
#include "services/s3/object_lock.h"
#include "services/s3/words.h"
#include "wire/checksum.h"
#include "wire/large_work.h"
#include "wire/packing.h"

namespace tidemill::s3 {
namespace {

using base::cat;
using wire::s3::InventoryConfiguration;

constexpr size_t kSeenPerStepMax = 1'000;  // whose lines are packed together
constexpr std::string_view kBucketArn = "arn:aws:s3:::";
constexpr std::string_view kInventoryService = "s3.amazonaws.com";

std::chrono::sys_days day_of(base::Time time) { return std::chrono::floor<std::chrono::days>(time); }

// Whether a report is due on one of these days: who was down on Sunday writes those of the week on Monday.
bool is_due(const InventoryConfiguration& configuration, std::chrono::sys_days from, std::chrono::sys_days to) {
  if (!configuration.is_enabled) return false;
  const auto last = configuration.schedule.frequency == "Daily"
                        ? to
                        : to - (std::chrono::weekday(to) - std::chrono::Sunday);
  return last >= from;
}

// What a timer remembers in its payload once some of its reports are written and others must be tried again: behind the
// bucket's name, the day and the id of each that is, all between zero bytes, which neither has.
struct Progress {
  std::string bucket;
  std::map<std::string, std::chrono::sys_days> written;  // by the configuration's id
};

Progress read_progress(std::string_view payload) {
  const auto next = [&payload] {
    const std::string_view part = payload.substr(0, payload.find('\0'));
    payload.remove_prefix(std::min(part.size() + 1, payload.size()));
    return part;
  };
  Progress progress{.bucket = std::string(next())};
  while (!payload.empty()) {
    const std::string_view number = next();
    int days = 0;
    std::from_chars(number.data(), number.data() + number.size(), days);
    progress.written[std::string(next())] = std::chrono::sys_days(std::chrono::days(days));
  }
  return progress;
}

std::string write_progress(const Progress& progress) {
  std::string payload = progress.bucket;
  for (const auto& [id, day] : progress.written) {
    payload += cat('\0', static_cast<int64_t>(day.time_since_epoch().count()), '\0', id);
  }
  return payload;
}

// Keys stand in reports as in addresses.
std::string encoded_key(std::string_view key) {
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~/").contains(c))
      out.push_back(c);
    else
      out += percent_byte(c);
  }
  return out;
}

std::string value_of(std::string_view column, const Bucket& bucket, const std::string& key, const Object& object,
                     bool is_latest) {
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  if (column == "Bucket") return bucket.name;
  if (column == "Key") return encoded_key(key);
  if (column == "VersionId") return object.is_null() ? "" : object.version;
  if (column == "IsLatest") return truth(is_latest);
  if (column == "IsDeleteMarker") return truth(object.is_marker);
  if (column == "LastModifiedDate") return base::iso_milliseconds(object.modified) + "Z";
  if (object.is_marker) return "";
  if (column == "Size") return std::to_string(object.size);
  if (column == "ETag") return object.etag;
  if (column == "StorageClass") return "STANDARD";
  if (column == "IsMultipartUploaded") return truth(object.parts > 0);
  if (column == "EncryptionStatus") return "SSE-S3";
  if (column == "BucketKeyStatus") return "DISABLED";
  if (column == "ChecksumAlgorithm") return object.checksum ? std::string(name_of(object.checksum->algorithm)) : "";
  const auto retention = retention_of(object.description.system);
  if (column == "ObjectLockMode") return retention ? std::string(name_of(retention->mode)) : "";
  if (column == "ObjectLockRetainUntilDate") return retention ? base::iso_milliseconds(retention->until) + "Z" : "";
  if (column == "ObjectLockLegalHoldStatus") {
    const auto held = legal_hold_of(object.description.system);
    return held ? (*held ? "ON" : "OFF") : "";
  }
  return "";  // ReplicationStatus, IntelligentTieringAccessTier: nobody has one
}

struct File {
  std::string key;
  size_t size = 0;
  std::string md5;
};

// One report.
class Report {
 public:
  Report(Service& service, wire::Platform& platform, const Bucket& bucket, const InventoryConfiguration& configuration,
         base::Time now)
      : service_(service),
        bucket_(bucket),
        configuration_(configuration),
        now_(now),
        columns_(inventory_columns(configuration)),
        target_(platform, cat("arn:aws:s3:", bucket.region, ":", bucket.account, ":", bucket.name),
                configuration.destination.s3_bucket_destination.bucket.substr(kBucketArn.size()),
                configuration.destination.s3_bucket_destination.account_id,
                wire::Principal::service(std::string(kInventoryService), bucket_arn(bucket.name))) {
    const auto& prefix = configuration.destination.s3_bucket_destination.prefix;
    folder_ = cat(prefix && !prefix->empty() ? *prefix + "/" : "", bucket.name, "/", configuration.id, "/");
  }

  Task<void> write() {
    const std::string prefix = configuration_.filter ? configuration_.filter->prefix : "";
    const auto snapshot = service_.store().snapshot();
    co_await list(*snapshot, objects_with(bucket_.id, prefix), true);
    if (configuration_.included_object_versions == "All") {
      co_await list(*snapshot, versions_with(bucket_.id, prefix), false);
    }
    co_await end_file();
    co_await write_manifest();
  }

 private:
  Task<void> list(store::Snapshot& reader, store::Range range, bool are_current) {
    std::string last_key;
    for (bool is_more = true; is_more;) {
      is_more = false;
      size_t seen = 0;
      std::string lines;
      co_await reader.scan(range, store::Direction::forward, [&](std::string_view store_key, std::string_view value) {
        if (seen++ == kSeenPerStepMax) {
          range.begin = std::string(store_key);
          is_more = true;
          return false;
        }
        const std::string key = are_current ? std::string(key_of_object(store_key)) : place_of_version(store_key).key;
        const Object object = decode_object(value);
        // A marker that nothing has replaced stands among the versions, the newest first, and is the latest.
        const bool is_latest = are_current || (object.is_marker && !object.noncurrent_since && key != last_key);
        last_key = key;
        add_line(lines, key, object, is_latest);
        return true;
      });
      co_await wire::pack(*writer_, lines);
      bytes_ += lines.size();
      if (bytes_ >= kInventoryFileBytes) co_await end_file();
    }
  }

  void add_line(std::string& lines, const std::string& key, const Object& object, bool is_latest) const {
    bool is_behind = false;
    for (const std::string& column : columns_) {
      lines += std::exchange(is_behind, true) ? ",\"" : "\"";
      lines += value_of(column, bucket_, key, object, is_latest);
      lines += '"';
    }
    lines += '\n';
  }

  Task<void> end_file() {
    if (bytes_ == 0 && !files_.empty()) co_return;
    std::string packed = writer_->finish();
    const auto md5 = wire::make_md5();
    co_await wire::add_in_pieces(*md5, packed);
    files_.push_back({.key = cat(folder_, "data/", base::new_uuid(), ".csv.gz"),
                      .size = packed.size(),
                      .md5 = base::hex_of(md5->finish())});
    (void)co_await target_.put(files_.back().key, std::move(packed));
    writer_ = std::make_unique<wire::GzipWriter>();
    bytes_ = 0;
  }

  Task<void> write_manifest() {
    const auto& target = configuration_.destination.s3_bucket_destination;
    std::string schema;
    for (const std::string& column : columns_) schema += cat(schema.empty() ? "" : ", ", column);
    std::string manifest;
    json::Writer writer(manifest);
    writer.begin_object();
    json::write_member(writer, "sourceBucket", bucket_.name);
    json::write_member(writer, "destinationBucket", target.bucket);
    json::write_member(writer, "version", "2016-11-30");
    const auto since = std::chrono::floor<std::chrono::milliseconds>(now_.time_since_epoch());
    json::write_member(writer, "creationTimestamp", std::to_string(since.count()));
    json::write_member(writer, "fileFormat", "CSV");
    json::write_member(writer, "fileSchema", schema);
    writer.key("files");
    writer.begin_array();
    for (const File& file : files_) {
      writer.begin_object();
      json::write_member(writer, "key", file.key);
      json::write_member(writer, "size", static_cast<int64_t>(file.size));
      json::write_member(writer, "MD5checksum", file.md5);
      writer.end_object();
    }
    writer.end_array();
    writer.end_object();
    const std::string folder = cat(folder_, calendar_text(now_, "%Y-%m-%dT%H-%MZ/"));
    std::string links;
    for (const File& file : files_) links += cat("s3://", target.bucket.substr(kBucketArn.size()), "/", file.key, "\n");
    (void)co_await target_.put(cat(folder_, calendar_text(now_, "hive/dt=%Y-%m-%d-%H-%M/symlink.txt")), links);
    (void)co_await target_.put(cat(folder, "manifest.json"), manifest);
    // The last: who waits for it finds all of the report.
    (void)co_await target_.put(cat(folder, "manifest.checksum"), base::hex_of(crypto::md5(manifest)));
  }

  Service& service_;
  const Bucket& bucket_;
  const InventoryConfiguration& configuration_;
  const base::Time now_;
  const std::vector<std::string> columns_;
  engine::BucketAccess target_;
  std::string folder_;
  std::unique_ptr<wire::GzipWriter> writer_ = std::make_unique<wire::GzipWriter>();
  size_t bytes_ = 0;
  std::vector<File> files_;
};

// Writes what is due since the timer's day and not written yet, and notes it in `progress`. What is refused is not
// tried again; returns what else went wrong last, if anything did: that may pass.
Task<std::exception_ptr> write_reports(Service& service, wire::Platform& platform, const Bucket& bucket,
                                       const store::Timer& timer, base::Time now, Progress& progress) {
  std::exception_ptr failure;
  for (const InventoryConfiguration& configuration : inventory_configurations(bucket)) {
    const auto written = progress.written.find(configuration.id);
    const auto from = written == progress.written.end() ? day_of(timer.due) : written->second + std::chrono::days(1);
    if (!is_due(configuration, from, day_of(now))) continue;
    try {
      Report report(service, platform, bucket, configuration, now);
      co_await report.write();
    } catch (const engine::CallRefused& refused) {
      base::log_warning(
          "an inventory was not written",
          {{"bucket", bucket.name}, {"inventory", configuration.id}, {"reason", refused.refusal().message}});
    } catch (const std::exception&) {
      failure = std::current_exception();
      continue;
    }
    progress.written[configuration.id] = day_of(now);
  }
  co_return failure;
}

// So that the next try leaves out what is written. The timer stays due.
Task<void> keep_progress(Service& service, const store::Timer& timer, const Progress& progress) {
  store::Timer next = timer;
  next.payload = write_progress(progress);
  if (next.payload == timer.payload) co_return;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await store::finish_timer(txn, timer)) co_await store::set_timer(txn, next);
  });
}

}  // namespace

Task<void> run_inventory(Service& service, wire::Platform& platform, store::Timer timer) {
  const base::Time now = service.clock().now();
  Progress progress = read_progress(timer.payload);
  const auto bucket = co_await find_bucket(*service.store().snapshot(), progress.bucket);
  if (bucket && bucket->id == timer.id) {
    const auto failure = co_await write_reports(service, platform, *bucket, timer, now, progress);
    if (failure) {
      co_await keep_progress(service, timer, progress);
      std::rethrow_exception(failure);
    }
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto current = co_await find_bucket(txn, progress.bucket);
    // Set anew meanwhile, or not wanted any more.
    if (!co_await store::finish_timer(txn, timer)) co_return;
    if (current && current->id == timer.id) co_await schedule_inventory(txn, *current, now);
  });
}

}  // namespace tidemill::s3

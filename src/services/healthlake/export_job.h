// Export jobs: what is asked for, how far it is, and how it ended. One of a data store runs at a time; whether others
// are refused or wait is a setting (kExportTag).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "services/healthlake/datastore.h"
#include "store/store.h"
#include "wire/shapes/healthlake.h"

namespace tidemill::healthlake {

// Carries out a job; its id is the data store's address as text, '/' and the job's id.
inline constexpr std::string_view kExportTimer = "healthlake-export";

namespace JobStatus = wire::healthlake::JobStatus;

struct ExportJob {
  std::string id;      // 32 hexadecimal digits, in the order in which they were submitted
  std::string name;    // may be empty
  std::string status;  // of JobStatus
  base::Time submitted;
  std::optional<base::Time> ended;
  std::string s3_uri;  // of the folder: "s3://bucket/prefix/<data store>-FHIR_EXPORT-<job>/"
  std::string kms_key;
  std::string role;
  std::string message;  // why it failed

  std::optional<base::Time> since;  // only what was updated then or later
  std::vector<std::string> types;   // only these; empty: all

  // Once it has begun: it takes resources of this epoch and those before.
  int64_t epoch = 0;
  std::optional<base::Time> began;
  int64_t number = 0;  // in the names of its files
  int64_t type = 0;    // how many of its types are done
  std::string cursor;  // the last update of the next type that has been written; a key
  int64_t files_of_type = 0;
  int64_t files = 0;

  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::string bucket() const;
  // "prefix/<data store>-FHIR_EXPORT-<job>/<name>".
  [[nodiscard]] std::string key_of(std::string_view file) const;
  [[nodiscard]] std::string url_of(std::string_view file) const { return s3_uri + std::string(file); }
};

// A file that a job has written.
struct ExportFile {
  std::string type;
  std::string url;
  int64_t count = 0;  // of resources
};

// Throws std::runtime_error if what is stored is damaged.
[[nodiscard]] ExportJob decode_job(std::string id, std::string_view bytes);
Task<std::optional<ExportJob>> find_job(store::Snapshot& reader, std::string_view datastore_id, std::string id);
void save_job(store::Transaction& txn, std::string_view datastore_id, const ExportJob& job);

[[nodiscard]] std::string encode_file(const ExportFile& file);
Task<std::vector<ExportFile>> read_files(store::Snapshot& snapshot, std::string_view datastore_id,
                                         std::string_view job_id);

// What a request asks for.
struct ExportOrder {
  std::string name;
  std::string s3_uri;  // "s3://bucket/prefix"
  std::string kms_key;
  std::string role;
  std::string token;  // of the client; empty: none
  std::optional<base::Time> since;
  std::vector<std::string> types;
};

// Submits a job: it runs at once, waits, or is refused with ThrottlingException since another runs. The same token
// gives the same job. Throws ResourceNotFoundException and ValidationException for data stores that are not there or
// not active.
Task<ExportJob> submit_export(store::Store& store, const DatastoreAddress& address, const ExportOrder& order,
                              base::Time now);

// A job that waits is cancelled at once, one that runs at its next file. Throws ResourceNotFoundException, and
// ConflictException for one that has ended.
Task<ExportJob> cancel_export(store::Store& store, const DatastoreAddress& address, const std::string& id,
                              base::Time now);

// In the transaction that ends a running job: its status is set, and the next one that waits is let go.
Task<void> end_export(store::Transaction& txn, Datastore datastore, ExportJob job, base::Time now);

}  // namespace tidemill::healthlake

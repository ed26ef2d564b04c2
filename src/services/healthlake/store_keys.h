// Where a data store's resources stand: KeySpace::fhir, the 16 bytes of its id, and then
//
//   1 type id                     the resource as it is now, or that it has been deleted (resource_record.h)
//   2 type time(updated) id version   one for each version that there has been; empty
//   3 type id ~version            the versions before the newest, newest first
//   4 job                         an export job (export_job.h)
//   5 job number                  a file that the job has written
//   6 token                       which job a client's token has started
//
// All parts are strings of base/ordered.h but time (i64, microseconds), version (u64) and number (u32).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::healthlake {

// A data store's part of the key space; made of the 32 digits of its id.
class DatastoreKeys {
 public:
  explicit DatastoreKeys(std::string_view datastore_id);

  [[nodiscard]] store::Range all() const { return store::Range::prefix(prefix_); }

  [[nodiscard]] std::string resource(std::string_view type, std::string_view id) const;
  [[nodiscard]] store::Range resources(std::string_view type) const;
  [[nodiscard]] std::string id_of_resource(std::string_view key) const;

  struct Update {
    base::Time time;
    std::string id;
    uint64_t version = 0;
  };
  [[nodiscard]] std::string update(std::string_view type, const Update& update) const;
  // Those of the type in [begin, end).
  [[nodiscard]] store::Range updates(std::string_view type, base::Time begin, base::Time end) const;
  [[nodiscard]] Update update_of(std::string_view key) const;

  [[nodiscard]] std::string version(std::string_view type, std::string_view id, uint64_t version) const;
  [[nodiscard]] store::Range versions(std::string_view type, std::string_view id) const;

  [[nodiscard]] std::string job(std::string_view id) const;
  [[nodiscard]] store::Range jobs() const;
  [[nodiscard]] std::string id_of_job(std::string_view key) const;
  [[nodiscard]] std::string job_file(std::string_view job, uint32_t number) const;
  [[nodiscard]] store::Range job_files(std::string_view job) const;
  [[nodiscard]] std::string job_token(std::string_view token) const;

 private:
  [[nodiscard]] std::string begin(char kind, std::string_view first) const;

  std::string prefix_;
};

}  // namespace tidemill::healthlake

// Data stores: KeySpace::resource, (account, region, "healthlake", "datastore", id), as JSON. Whoever reads or writes
// resources reads the description in the same transaction, so that a deletion or the begin of an export conflicts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"

namespace tidemill::healthlake {

// Carries out what makes a data store CREATING or DELETING, and forgets one that has been DELETED for kDeletedKept; its
// id is the data store's address as text.
inline constexpr std::string_view kDatastoreTimer = "healthlake-datastore";
inline constexpr base::Duration kDeletedKept = std::chrono::hours(24);

// A tag that says what becomes of an export that is started while another runs: "refuse" (also without the tag) or
// "queue".
inline constexpr std::string_view kExportTag = "tidemill:export";
inline constexpr std::string_view kExportRefuse = "refuse";
inline constexpr std::string_view kExportQueue = "queue";

struct DatastoreAddress {
  std::string account;
  std::string region;
  std::string id;  // 32 hexadecimal digits

  [[nodiscard]] std::string arn() const;
  // "000000000000/us-east-1/<id>", for the ids of timers.
  [[nodiscard]] std::string text() const;
  static std::optional<DatastoreAddress> parse(std::string_view text);
};

struct Datastore {
  DatastoreAddress address;
  std::string name;    // may be empty
  std::string status;  // of wire::healthlake::DatastoreStatus
  base::Time created;
  json::TextMap tags;
  std::string token;              // of the client that made it
  bool shows_encryption = false;  // it was made with an SseConfiguration
  std::string endpoint;           // as its maker reached it; empty: of before this was kept

  // Each export takes the resources of the epochs before the one that begins with it. Since all writers read it here,
  // what is not in an export was written after it began, and is not older than that.
  int64_t epoch = 0;
  base::Time epoch_began;
  std::string exporting;  // the job that runs, or is about to; empty: none
  int64_t jobs = 0;       // how many there have been
};

// 32 random hexadecimal digits.
[[nodiscard]] std::string new_id();

[[nodiscard]] std::string datastore_key(const DatastoreAddress& address);
[[nodiscard]] store::Range datastores_range(std::string_view account, std::string_view region);
[[nodiscard]] std::optional<DatastoreAddress> datastore_of_key(std::string_view key);
// Which data store a client's token has made; the value is its id.
[[nodiscard]] std::string datastore_token_key(std::string_view account, std::string_view region,
                                              std::string_view token);

void save_datastore(store::Transaction& txn, const Datastore& datastore);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Datastore decode_datastore(DatastoreAddress address, std::string_view bytes);

Task<std::optional<Datastore>> find_datastore(store::Snapshot& reader, DatastoreAddress address);
// The same; throws ResourceNotFoundException.
Task<Datastore> load_datastore(store::Snapshot& reader, DatastoreAddress address);

// `tags` are those that will be the data store's. Throws ValidationException.
void check_tags(const json::TextMap& tags);

}  // namespace tidemill::healthlake

// Writing resources, in a transaction of the caller's. Each write makes a version; those before stay (store_keys.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "services/healthlake/datastore.h"
#include "services/healthlake/resource_record.h"
#include "store/store.h"

namespace tidemill::healthlake {

struct Written {
  std::string type;
  std::string id;
  uint64_t version = 0;
  base::Time updated;
  bool created = false;  // there was none
  std::string json;      // as it is stored; empty of a deletion
};

// Where a resource is, and which version of it somebody expects (If-Match: W/"3"); nothing: any.
struct WriteTarget {
  std::string type;
  std::string id;
  std::optional<uint64_t> expected = std::nullopt;
};

// Puts a checked resource under that id, with meta.versionId and meta.lastUpdated. `datastore` was read in `txn`.
// Throws 412.
Task<Written> put_resource(store::Transaction& txn, const Datastore& datastore, const WriteTarget& target,
                           const json::Value& resource, base::Time now);

// Nothing happens, and version is 0, if there is none. Throws 412.
Task<Written> delete_resource(store::Transaction& txn, const Datastore& datastore, const WriteTarget& target,
                              base::Time now);

// W/"3" or "3" -> 3; nothing: it is no version of ours. Throws 400 for what is neither.
[[nodiscard]] std::optional<uint64_t> version_of_tag(const std::optional<std::string>& tag);
[[nodiscard]] std::string tag_of_version(uint64_t version);

}  // namespace tidemill::healthlake

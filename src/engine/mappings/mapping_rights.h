// What a mapping does in its function's name, or its pipe's: it reads the source, removes what is done with, and tells
// of what it gives up, all under their role. Where policies are enforced the role must be let do so; else nobody asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "engine/mappings/mapping.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

// One right: "dynamodb:GetRecords" on the stream.
struct MappingDeed {
  std::string action;
  std::string resource;
  std::vector<std::pair<std::string, std::string>> facts = {};  // condition keys and their values
};

// What reading the source takes, and, of queues, removing what is done with (developer guide, "Permissions" of each
// source). Lists of streams and shards are asked for by nothing here.
[[nodiscard]] std::vector<MappingDeed> reading_deeds(std::string_view source_arn);
[[nodiscard]] std::vector<MappingDeed> removing_deeds(std::string_view source_arn);
// What sending a document to a queue, topic or bucket takes.
[[nodiscard]] std::vector<MappingDeed> telling_deeds(std::string_view destination_arn);

// A session of `role` for the function, or the pipe, of this ARN.
[[nodiscard]] wire::Principal session_of(std::string role, const std::string& target_arn);

// The session of the role of a function, or of a pipe, by its ARN, as Lambda or Pipes takes it on. Nothing: there is
// none of that ARN. Throws wire::Error if that is not known now, as acting_for() does.
Task<std::optional<wire::Principal>> worker_of(wire::Platform& platform, std::string target_arn);

// Who acts for a mapping where policies are enforced: its function's role, or its pipe's; of a function that is gone, the
// role that it had (Mapping::last_role). Nothing: nobody, as the mapping is gone as well, or is not told. Elsewhere the
// platform itself.
Task<std::optional<wire::Principal>> acting_for(wire::Platform& platform, std::string mapping_uuid,
                                                std::string target_arn);

// The first of `deeds` that `worker` may not do. Nothing: it may do all. `request_id`: of the request that must know,
// so that it is explained with the denial; empty: a mapping that runs asks for itself.
Task<std::optional<MappingDeed>> first_denied(wire::Platform& platform, wire::Principal worker,
                                              std::vector<MappingDeed> deeds, std::string request_id = "");

// What running mappings ask before each poll and removal. All on one executor.
class MappingRights {
 public:
  // How long what was found is taken for what is. AWS takes seconds, too, until a changed policy counts.
  static constexpr auto kGoodFor = std::chrono::seconds(1);
  // Before somebody who was refused asks again.
  static constexpr auto kDeniedPause = std::chrono::seconds(1);

  explicit MappingRights(wire::Platform& platform) : platform_(platform) {}

  Task<bool> may_read(const Mapping& mapping);
  Task<bool> may_remove(const Mapping& mapping);
  // Of failure documents, before they are enqueued (failure_destination.h).
  Task<void> keep_tellers(std::vector<store::Delivery>& deliveries);

 private:
  static constexpr size_t kFoundMax = 4096;  // then all is asked anew

  struct Found {
    base::Time until;
    bool is_allowed = false;
  };
  Task<bool> may(std::string key, std::string target_arn, std::vector<MappingDeed> deeds);

  wire::Platform& platform_;
  std::unordered_map<std::string, Found> found_;  // by what is done, for whom and to what
};

}  // namespace tidemill::engine

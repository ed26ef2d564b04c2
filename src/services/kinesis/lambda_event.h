// Records of a data stream as functions see them (developer guide, "Using Lambda with Kinesis").
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::kinesis {

// What all records of a shard that go to one function have in common.
struct EventOrigin {
  std::string_view shard_id;
  std::string_view region;
  std::string_view event_source_arn;  // as the mapping names it: the stream, or a consumer
  std::string_view invoke_identity_arn;  // the function's role
};

struct EventRecord {
  std::string_view partition_key;
  std::string_view sequence_number;
  std::string_view data;
  base::Time arrival;
};

// An element of the event's "Records": JSON text.
[[nodiscard]] std::string lambda_event_json(const EventOrigin& origin, const EventRecord& record);

}  // namespace tidemill::kinesis

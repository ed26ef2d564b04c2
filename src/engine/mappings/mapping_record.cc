// How a mapping stands in the store: a byte with the format, and then JSON, which gains members from version to version.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {

namespace {

namespace json = base::json;

// A new format gets the next number, and the decoder keeps reading the older ones. Format 1 was a tuple of the options
// that there were.
constexpr uint8_t kTupleFormat = 1;
constexpr uint8_t kJsonFormat = 2;

// In the order of the enumerations, which is that of format 1's numbers.
constexpr std::array<std::string_view, 7> kStates{"creating", "enabling", "enabled", "disabling",
                                                  "disabled", "updating", "deleting"};
constexpr std::array<std::string_view, 3> kPositions{"trim_horizon", "latest", "at_timestamp"};

// By their names in one of these tables.
template <class Enum, const auto& kNames>
constexpr auto kNameOf = [](Enum value) { return kNames.at(static_cast<size_t>(value)); };
template <class Enum, const auto& kNames>
constexpr auto kValueOf = [](std::string_view name) -> std::optional<Enum> {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Enum>(found - kNames.begin());
};

constexpr auto kMappingMembers = [](auto& member, auto& mapping) {
  member("uuid", mapping.uuid);
  member("account", mapping.account);
  member("region", mapping.region);
  member("event_source_arn", mapping.event_source_arn);
  member("function_arn", mapping.function_arn);
  member.unless_empty("last_role", mapping.last_role);
  member.bytes_when(!mapping.owner_key.empty(), "owner", mapping.owner_key);
  member.as("state", mapping.state, kNameOf<MappingState, kStates>, kValueOf<MappingState, kStates>);
  member("last_modified_us", mapping.last_modified);
  member("batch_size", mapping.batch_size);
  member("batching_window_seconds", mapping.batching_window_seconds);
  member("filters", mapping.filters);
  member("report_item_failures", mapping.report_item_failures);
  member("count_events", mapping.count_events);
  member("count_errors", mapping.count_errors);
  member("tags", mapping.tags);
  member.as("starting_position", mapping.starting_position, kNameOf<StartingPosition, kPositions>,
            kValueOf<StartingPosition, kPositions>);
  member("starting_timestamp_us", mapping.starting_timestamp);
  member("parallelization_factor", mapping.parallelization_factor);
  member("bisect_on_error", mapping.bisect_on_error);
  member("retry_attempts_max", mapping.retry_attempts_max);
  member("record_age_seconds_max", mapping.record_age_seconds_max);
  member("tumbling_window_seconds", mapping.tumbling_window_seconds);
  member("failure_destination", mapping.failure_destination);
  member("concurrency_max", mapping.concurrency_max);
  member("pollers_min", mapping.pollers_min);
  member("pollers_max", mapping.pollers_max);
};

std::optional<Mapping> decode_tuple(base::OrderedReader reader) {
  Mapping mapping;
  for (std::string* text :
       {&mapping.uuid, &mapping.account, &mapping.region, &mapping.event_source_arn, &mapping.function_arn}) {
    *text = reader.string();
  }
  mapping.batch_size = static_cast<int>(reader.i64());
  mapping.batching_window_seconds = static_cast<int>(reader.i64());
  const uint8_t starting_position = reader.u8();
  mapping.retry_attempts_max = static_cast<int>(reader.i64());
  mapping.record_age_seconds_max = static_cast<int>(reader.i64());
  const uint8_t state = reader.u8();
  mapping.last_modified = base::Time(base::Duration(reader.i64()));
  if (!reader.ok() || !reader.at_end() || starting_position >= kPositions.size() || state >= kStates.size()) {
    return std::nullopt;
  }
  mapping.starting_position = static_cast<StartingPosition>(starting_position);
  mapping.state = static_cast<MappingState>(state);
  return mapping;
}

}  // namespace

std::string encode_mapping(const Mapping& mapping) {
  std::string out(1, static_cast<char>(kJsonFormat));
  return out.append(json::encode(mapping, kMappingMembers));
}

std::optional<Mapping> decode_mapping(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t format = reader.u8();
  if (format == kTupleFormat) return decode_tuple(reader);
  if (format != kJsonFormat) return std::nullopt;
  try {
    return json::decode<Mapping>("event source mapping", reader.rest(), kMappingMembers);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace tidemill::engine

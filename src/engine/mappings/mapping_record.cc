// How a mapping stands in the store: a byte with the format, and then JSON, which gains members from version to version.
#include <array>
#include <stdexcept>

#include "base/json_record.h"
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

template <class Enum, size_t kCount>
std::string_view name_of(const std::array<std::string_view, kCount>& names, Enum value) {
  return names.at(static_cast<size_t>(value));
}

template <class Enum, size_t kCount>
Enum value_of(const json::Record& record, std::string_view member, const std::array<std::string_view, kCount>& names) {
  const std::string name = record.text(member);
  for (size_t i = 0; i < kCount; ++i) {
    if (names.at(i) == name) return static_cast<Enum>(i);
  }
  record.damaged(member);
}

void write_optional(json::Writer& writer, std::string_view name, const std::optional<int>& number) {
  if (number) json::write_member(writer, name, int64_t{*number});
}

std::optional<int> find_int(const json::Record& record, std::string_view name) {
  const auto number = record.find_integer(name);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::vector<std::string> texts(const json::Record& record, std::string_view name) {
  const json::Value* list = record.find(name);
  if (list == nullptr || !list->is_array()) record.damaged(name);
  std::vector<std::string> found;
  for (const json::Value& element : list->array()) {
    if (!element.is_string()) record.damaged(name);
    found.push_back(element.string());
  }
  return found;
}

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

Mapping decode_json(std::string_view bytes) {
  const json::Record record("event source mapping", bytes);
  Mapping mapping;
  mapping.uuid = record.text("uuid");
  mapping.account = record.text("account");
  mapping.region = record.text("region");
  mapping.event_source_arn = record.text("event_source_arn");
  mapping.function_arn = record.text("function_arn");
  mapping.state = value_of<MappingState>(record, "state", kStates);
  mapping.last_modified = record.time("last_modified_us");
  mapping.batch_size = static_cast<int>(record.integer("batch_size"));
  mapping.batching_window_seconds = static_cast<int>(record.integer("batching_window_seconds"));
  mapping.filters = texts(record, "filters");
  mapping.report_item_failures = record.boolean("report_item_failures");
  mapping.count_events = record.boolean("count_events");
  mapping.count_errors = record.boolean("count_errors");
  mapping.tags = record.map("tags");
  mapping.starting_position = value_of<StartingPosition>(record, "starting_position", kPositions);
  mapping.starting_timestamp = record.find_time("starting_timestamp_us");
  mapping.parallelization_factor = static_cast<int>(record.integer("parallelization_factor"));
  mapping.bisect_on_error = record.boolean("bisect_on_error");
  mapping.retry_attempts_max = static_cast<int>(record.integer("retry_attempts_max"));
  mapping.record_age_seconds_max = static_cast<int>(record.integer("record_age_seconds_max"));
  mapping.tumbling_window_seconds = static_cast<int>(record.integer("tumbling_window_seconds"));
  mapping.failure_destination = record.text("failure_destination");
  mapping.concurrency_max = find_int(record, "concurrency_max");
  mapping.pollers_min = find_int(record, "pollers_min");
  mapping.pollers_max = find_int(record, "pollers_max");
  return mapping;
}

}  // namespace

std::string encode_mapping(const Mapping& mapping) {
  std::string out(1, static_cast<char>(kJsonFormat));
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "uuid", mapping.uuid);
  json::write_member(writer, "account", mapping.account);
  json::write_member(writer, "region", mapping.region);
  json::write_member(writer, "event_source_arn", mapping.event_source_arn);
  json::write_member(writer, "function_arn", mapping.function_arn);
  json::write_member(writer, "state", name_of(kStates, mapping.state));
  json::write_member(writer, "last_modified_us", mapping.last_modified);
  json::write_member(writer, "batch_size", int64_t{mapping.batch_size});
  json::write_member(writer, "batching_window_seconds", int64_t{mapping.batching_window_seconds});
  writer.key("filters");
  writer.begin_array();
  for (const std::string& filter : mapping.filters) writer.string(filter);
  writer.end_array();
  json::write_member(writer, "report_item_failures", mapping.report_item_failures);
  json::write_member(writer, "count_events", mapping.count_events);
  json::write_member(writer, "count_errors", mapping.count_errors);
  json::write_member(writer, "tags", mapping.tags);
  json::write_member(writer, "starting_position", name_of(kPositions, mapping.starting_position));
  if (mapping.starting_timestamp) json::write_member(writer, "starting_timestamp_us", *mapping.starting_timestamp);
  json::write_member(writer, "parallelization_factor", int64_t{mapping.parallelization_factor});
  json::write_member(writer, "bisect_on_error", mapping.bisect_on_error);
  json::write_member(writer, "retry_attempts_max", int64_t{mapping.retry_attempts_max});
  json::write_member(writer, "record_age_seconds_max", int64_t{mapping.record_age_seconds_max});
  json::write_member(writer, "tumbling_window_seconds", int64_t{mapping.tumbling_window_seconds});
  json::write_member(writer, "failure_destination", mapping.failure_destination);
  write_optional(writer, "concurrency_max", mapping.concurrency_max);
  write_optional(writer, "pollers_min", mapping.pollers_min);
  write_optional(writer, "pollers_max", mapping.pollers_max);
  writer.end_object();
  return out;
}

std::optional<Mapping> decode_mapping(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t format = reader.u8();
  if (format == kTupleFormat) return decode_tuple(reader);
  if (format != kJsonFormat) return std::nullopt;
  try {
    return decode_json(reader.rest());
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace tidemill::engine

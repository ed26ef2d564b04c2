#include "services/logs/log_keys.h"

#include <charconv>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::logs {
namespace {

constexpr char kStream = 's';
constexpr char kTotals = 'u';
constexpr char kEvent = 'e';
constexpr char kExportFolder = 'x';
// The key space, the group's id and the part.
constexpr size_t kPrefixSize = 1 + kIdSize + 1;

// The digits of a place: time, version and index, which have at most so many.
constexpr int kTimeDigits = 26;
constexpr int kVersionDigits = 20;
constexpr int kIndexDigits = 10;
static_assert(kTimeDigits + kVersionDigits + kIndexDigits == EventPlace::kDigits);

std::string prefix(std::string_view group_id, char part) {
  std::string key(1, static_cast<char>(store::KeySpace::log_event));
  base::append_fixed(key, group_id);
  key.push_back(part);
  return key;
}

std::string with_time(std::string_view group_id, std::string_view stream_id, Milliseconds time) {
  std::string key = prefix(group_id, kEvent);
  base::append_fixed(key, stream_id);
  base::append_i64(key, time);
  return key;
}

void append_digits(std::string& out, uint64_t number, int width) {
  const std::string text = std::to_string(number);
  out.append(static_cast<size_t>(width) - text.size(), '0').append(text);
}

template <class Number>
bool read_digits(std::string_view& digits, int width, Number& number) {
  const std::string_view part = digits.substr(0, static_cast<size_t>(width));
  digits.remove_prefix(part.size());
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  return error == std::errc() && end == part.data() + part.size() && part[0] != '-';
}

}  // namespace

std::string EventPlace::digits() const {
  std::string out;
  append_digits(out, static_cast<uint64_t>(std::max<Milliseconds>(time, 0)), kTimeDigits);
  append_digits(out, position.version, kVersionDigits);
  append_digits(out, position.index, kIndexDigits);
  return out;
}

std::optional<EventPlace> EventPlace::of_digits(std::string_view digits) {
  if (digits.size() != kDigits) return std::nullopt;
  EventPlace place;
  if (!read_digits(digits, kTimeDigits, place.time) || !read_digits(digits, kVersionDigits, place.position.version) ||
      !read_digits(digits, kIndexDigits, place.position.index)) {
    return std::nullopt;
  }
  return place;
}

EventPosition EventPositions::take(store::Version snapshot, uint32_t count) {
  const std::lock_guard lock(mutex_);
  if (snapshot.value > next_.version) next_ = {snapshot.value, 0};
  const EventPosition first = next_;
  next_.index += count;
  return first;
}

store::Range contents_range(std::string_view group_id) {
  std::string key(1, static_cast<char>(store::KeySpace::log_event));
  base::append_fixed(key, group_id);
  return store::Range::prefix(key);
}

std::string stream_key(std::string_view group_id, std::string_view name) {
  std::string key = prefix(group_id, kStream);
  base::append_string(key, name);
  return key;
}

store::Range streams_range(std::string_view group_id) { return store::Range::prefix(prefix(group_id, kStream)); }

store::Range streams_range(std::string_view group_id, std::string_view name_prefix) {
  std::string key = stream_key(group_id, name_prefix);
  key.resize(key.size() - 2);  // without the end of the text
  return store::Range::prefix(key);
}

std::string stream_name_of_key(std::string_view key) { return base::OrderedReader(key.substr(kPrefixSize)).string(); }

std::string totals_key(std::string_view group_id, std::string_view stream_id) {
  return prefix(group_id, kTotals).append(stream_id);
}

store::Range totals_range(std::string_view group_id) { return store::Range::prefix(prefix(group_id, kTotals)); }

std::string stream_id_of_totals_key(std::string_view key) { return std::string(key.substr(kPrefixSize)); }

std::string event_key(std::string_view group_id, std::string_view stream_id, const EventPlace& place) {
  std::string key = with_time(group_id, stream_id, place.time);
  base::append_u64(key, place.position.version);
  base::append_u32(key, place.position.index);
  return key;
}

store::Range events_range(std::string_view group_id, std::string_view stream_id) {
  return store::Range::prefix(prefix(group_id, kEvent).append(stream_id));
}

store::Range events_range(std::string_view group_id, std::string_view stream_id, Milliseconds from,
                          Milliseconds until) {
  return {with_time(group_id, stream_id, from), with_time(group_id, stream_id, std::max(from, until))};
}

EventPlace place_of_event_key(std::string_view key) {
  base::OrderedReader reader(key.substr(kPrefixSize + kIdSize));
  EventPlace place;
  place.time = reader.i64();
  place.position.version = reader.u64();
  place.position.index = reader.u32();
  return place;
}

std::string export_folder_key(std::string_view group_id, std::string_view task_id, std::string_view folder) {
  std::string key = prefix(group_id, kExportFolder).append(task_id);
  base::append_string(key, folder);
  return key;
}

std::string export_folder_key(std::string_view group_id, std::string_view task_id, std::string_view folder,
                              std::string_view stream_name) {
  std::string key = export_folder_key(group_id, task_id, folder);
  base::append_string(key, stream_name);
  return key;
}

store::Range export_folders_range(std::string_view group_id, std::string_view task_id) {
  return store::Range::prefix(prefix(group_id, kExportFolder).append(task_id));
}

}  // namespace tidemill::logs

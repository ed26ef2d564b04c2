#include "services/states/live.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <unordered_set>

#include "base/json_objects.h"
#include "base/ordered.h"
#include "base/text.h"

namespace tidemill::states {
namespace {

constexpr uint8_t kHeadVersion = 2;
constexpr uint8_t kHeadVersionBefore = 1;  // of one watcher or none
constexpr uint8_t kFrameVersion = 2;
constexpr uint8_t kFrameVersionBefore = 1;  // without what comes from elsewhere, and without map runs
constexpr char kHeadPart = 'h';
constexpr char kFramePart = 'f';
constexpr char kVariablesPart = 'v';
constexpr char kArgumentsPart = 'p';
constexpr char kItemsPart = 'i';
constexpr char kResultPart = 'o';

constexpr std::array<std::string_view, 5> kStatusNames{"RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"};

[[noreturn]] void damaged(std::string_view what) {
  throw DamagedState(base::cat("a stored ", what, " of an execution is damaged"));
}

std::string part_of(char letter, FrameId frame) {
  std::string part(1, letter);
  base::append_u32(part, frame);
  return part;
}
std::string result_part(FrameId frame, uint32_t index) {
  std::string part = part_of(kResultPart, frame);
  base::append_u32(part, index);
  return part;
}

void append_time(std::string& out, base::Time time) { base::append_i64(out, time.time_since_epoch().count()); }
base::Time read_time(base::OrderedReader& reader) { return base::Time(base::Duration(reader.i64())); }

void append_optional(std::string& out, const std::optional<std::string>& text) {
  base::append_u8(out, text ? 1 : 0);
  if (text) base::append_string(out, *text);
}
std::optional<std::string> read_optional(base::OrderedReader& reader) {
  if (reader.u8() == 0) return std::nullopt;
  return reader.string();
}

std::string encode_head(const Head& head) {
  std::string out;
  base::append_u64(out, head.edition);
  base::append_u8(out, kHeadVersion);
  base::append_u64(out, head.next_event);
  base::append_u32(out, head.next_frame);
  base::append_u8(out, static_cast<uint8_t>(head.status));
  base::append_string(out, head.address.account);
  base::append_string(out, head.address.region);
  base::append_string(out, head.address.machine);
  base::append_string(out, head.address.name);
  base::append_string(out, head.revision);
  base::append_string(out, head.role);
  append_time(out, head.started);
  base::append_u32(out, head.redrives);
  base::append_u8(out, head.redriven ? 1 : 0);
  if (head.redriven) append_time(out, *head.redriven);
  base::append_u8(out, head.has_deadline ? 1 : 0);
  base::append_u32(out, static_cast<uint32_t>(head.watchers.size()));
  for (const Watcher& watcher : head.watchers) {
    base::append_fixed(out, watcher.id.bytes);
    base::append_u32(out, watcher.frame);
    base::append_u32(out, watcher.attempt);
  }
  base::append_string(out, head.map_run);
  base::append_u64(out, head.map_child);
  return out;
}

// Where an input stands that many flows share: it is not copied into each of their records.
enum class InputFrom : uint8_t { own, parents_arguments, parents_item };

InputFrom input_from(const Frame& frame, const Frame* parent) {
  if (!parent || !frame.input) return InputFrom::own;
  const json::Value* const input = frame.input.document().get();
  if (parent->arguments && parent->arguments.document().get() == input) return InputFrom::parents_arguments;
  const asl::Document& items = parent->items;
  if (!items || !items->is_array() || frame.index >= items->array().size()) return InputFrom::own;
  return &items->array()[frame.index] == input ? InputFrom::parents_item : InputFrom::own;
}

bool has_input_as_arguments(const Frame& frame) {
  return frame.arguments && frame.arguments.document() == frame.input.document();
}

std::string encode_frame(const Frame& frame, const Frame* parent) {
  const InputFrom from = input_from(frame, parent);
  std::string out;
  base::append_u8(out, kFrameVersion);
  base::append_u32(out, frame.parent);
  base::append_u32(out, frame.index);
  base::append_string(out, frame.state);
  base::append_u8(out, static_cast<uint8_t>(frame.phase));
  base::append_u8(out, frame.is_entered ? 1 : 0);
  base::append_u64(out, frame.entered_event);
  base::append_u64(out, frame.last_event);
  append_time(out, frame.entered);
  base::append_u32(out, static_cast<uint32_t>(frame.attempts.size()));
  for (const int64_t count : frame.attempts) base::append_i64(out, count);
  base::append_i64(out, frame.retries);
  base::append_string(out, frame.timers);
  base::append_u32(out, frame.attempt);
  base::append_u8(out, frame.heartbeat_seconds ? 1 : 0);
  if (frame.heartbeat_seconds) base::append_i64(out, *frame.heartbeat_seconds);
  base::append_u8(out, frame.answer ? 1 : 0);
  if (frame.answer) {
    base::append_u8(out, frame.answer->is_success ? 1 : 0);
    base::append_string(out, frame.answer->output);
    append_optional(out, frame.answer->error);
    append_optional(out, frame.answer->cause);
  }
  base::append_string(out, frame.nested);
  append_time(out, frame.offered);
  base::append_string(out, frame.credentials);
  base::append_string(out, frame.map_run);
  base::append_u32(out, frame.map_run_redrives);
  base::append_u8(out, static_cast<uint8_t>(from));
  base::append_u8(out, has_input_as_arguments(frame) ? 1 : 0);
  if (from == InputFrom::own) base::append_fixed(out, frame.input.text());
  return out;
}

// With its record, what is still to be found for it.
struct Decoded {
  Frame frame;
  InputFrom from = InputFrom::own;
  bool has_input_as_arguments = false;
};

Decoded decode_frame(FrameId id, std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Decoded decoded{.frame = {.id = id}};
  Frame& frame = decoded.frame;
  const uint8_t version = reader.u8();
  const bool is_known = version == kFrameVersion || version == kFrameVersionBefore;
  frame.parent = reader.u32();
  frame.index = reader.u32();
  frame.state = reader.string();
  frame.phase = static_cast<Phase>(reader.u8());
  frame.is_entered = reader.u8() != 0;
  frame.entered_event = reader.u64();
  frame.last_event = reader.u64();
  frame.entered = read_time(reader);
  const uint32_t retriers = reader.u32();
  for (uint32_t i = 0; i < retriers && reader.ok(); ++i) frame.attempts.push_back(reader.i64());
  frame.retries = reader.i64();
  frame.timers = reader.string();
  frame.attempt = reader.u32();
  if (reader.u8() != 0) frame.heartbeat_seconds = reader.i64();
  if (reader.u8() != 0) {
    TaskAnswer answer{.is_success = reader.u8() != 0, .output = reader.string()};
    answer.error = read_optional(reader);
    answer.cause = read_optional(reader);
    frame.answer = std::move(answer);
  }
  frame.nested = reader.string();
  frame.offered = read_time(reader);
  frame.credentials = reader.string();
  if (version == kFrameVersion) {
    frame.map_run = reader.string();
    frame.map_run_redrives = reader.u32();
    decoded.from = static_cast<InputFrom>(reader.u8());
    decoded.has_input_as_arguments = reader.u8() != 0;
  }
  if (!is_known || !reader.ok() || decoded.from > InputFrom::parents_item) damaged("state");
  if (decoded.from == InputFrom::own) frame.input = Payload::of_text(std::string(reader.rest()));
  return decoded;
}

// Of a frame whose parent has what stands in records of its own. Parents are older, and come first.
void find_input(Live& live, Frame& frame, InputFrom from) {
  const Frame* const parent = live.find(frame.parent);
  if (!parent) damaged("input");
  if (from == InputFrom::parents_arguments) {
    if (!parent->arguments) damaged("input");
    frame.input = parent->arguments;
    return;
  }
  const bool has_items = parent->items && parent->items->is_array() && frame.index < parent->items->array().size();
  if (!has_items) damaged("input");
  frame.input = Payload(asl::Document(parent->items, &parent->items->array()[frame.index]));
}

// A Map's items with its concurrency before them.
std::string encode_items(int64_t concurrency, const asl::Document& items) {
  std::string out;
  base::append_i64(out, concurrency);
  json::append(out, *items);
  return out;
}

using Unfound = std::vector<std::pair<FrameId, Decoded>>;  // without their frames, in their order

void read_part(Live& live, std::string_view part, std::string_view value, Unfound& unfound) {
  base::OrderedReader reader(part.substr(1));
  const FrameId id = reader.u32();
  if (part.front() == kFramePart) {
    Decoded decoded = decode_frame(id, value);
    live.frames.insert_or_assign(id, std::move(decoded.frame));
    if (decoded.from != InputFrom::own || decoded.has_input_as_arguments) unfound.emplace_back(id, std::move(decoded));
    return;
  }
  if (part.front() == kHeadPart) return;
  Frame* const frame = live.find(id);  // frames come before all else: 'f' is less than the other letters but 'h'
  if (!frame) damaged("part");
  if (part.front() == kVariablesPart) {
    auto variables = json::parse(value);
    if (!variables || !variables->is_object()) damaged("variable");
    frame->variables = std::move(variables->object());
    frame->variables_bytes = value.size();
  } else if (part.front() == kArgumentsPart) {
    frame->arguments = Payload::of_text(std::string(value));
  } else if (part.front() == kItemsPart) {
    base::OrderedReader fields(value);
    frame->concurrency = fields.i64();
    frame->items = Payload::of_text(std::string(fields.rest())).document();
    frame->items_bytes = value.size();
  } else if (part.front() == kResultPart) {
    frame->results.insert_or_assign(reader.u32(), Payload::of_text(std::string(value)));
    frame->results_bytes += value.size();
  } else {
    damaged("part");
  }
}

void find_all(Live& live, const Unfound& unfound) {
  for (const auto& [id, decoded] : unfound) {
    Frame& frame = live.frames.at(id);
    if (decoded.from != InputFrom::own) find_input(live, frame, decoded.from);
    if (decoded.has_input_as_arguments) frame.arguments = frame.input;
  }
}

}  // namespace

std::string_view name_of(Status status) { return kStatusNames.at(static_cast<size_t>(status)); }

std::optional<Status> status_of(std::string_view name) {
  const auto found = std::ranges::find(kStatusNames, name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

size_t count_of(const asl::Document& items) {
  return items->is_array() ? items->array().size() : items->object().size();
}

asl::Document item_of(const asl::Document& items, size_t index, std::string_view& key) {
  if (items->is_array()) return {items, &items->array().at(index)};
  const json::Member& member = *(items->object().begin() + static_cast<std::ptrdiff_t>(index));
  key = member.first;
  return {items, &member.second};
}

Frame* Live::find(FrameId frame) {
  const auto found = frames.find(frame);
  return found == frames.end() ? nullptr : &found->second;
}

Frame* Live::first_ready(FrameId after) {
  for (auto at = frames.upper_bound(after); at != frames.end(); ++at) {
    if (at->second.phase == Phase::ready) return &at->second;
  }
  return nullptr;
}

Frame& Live::add_frame(FrameId parent, uint32_t index, std::string state, Payload input) {
  const FrameId id = head.next_frame++;
  Frame& frame = frames[id];
  frame.id = id;
  frame.parent = parent;
  frame.index = index;
  frame.state = std::move(state);
  frame.input = std::move(input);
  frame.at = machine->find(frame.state);
  if (Frame* const above = find(parent)) ++above->children;
  touch(frame);
  return frame;
}

void Live::set_variables(Frame& frame, json::Object assigned) {
  if (assigned.empty()) return;
  std::vector<json::Member> all(std::make_move_iterator(frame.variables.begin()),
                                std::make_move_iterator(frame.variables.end()));
  all.insert(all.end(), std::make_move_iterator(assigned.begin()), std::make_move_iterator(assigned.end()));
  frame.variables = json::object_of(std::move(all));
  if (!is_kept) return;
  std::string text = json::write(json::Value(frame.variables));
  frame.variables_bytes = text.size();
  writes.emplace_back(part_of(kVariablesPart, frame.id), std::move(text));
}

void Live::set_arguments(Frame& frame, Payload arguments) {
  frame.arguments = std::move(arguments);
  touch(frame);
  if (is_kept && !has_input_as_arguments(frame)) writes.emplace_back(part_of(kArgumentsPart, frame.id), frame.arguments.text());
}

void Live::set_items(Frame& frame, asl::Document items, int64_t concurrency) {
  frame.items = std::move(items);
  frame.concurrency = concurrency;
  if (!is_kept) return;
  std::string text = encode_items(concurrency, frame.items);
  frame.items_bytes = text.size();
  writes.emplace_back(part_of(kItemsPart, frame.id), std::move(text));
}

void Live::set_result(Frame& frame, uint32_t index, Payload result) {
  if (is_kept) {
    writes.emplace_back(result_part(frame.id, index), result.text());
    if (const auto before = frame.results.find(index); before != frame.results.end()) {
      frame.results_bytes -= before->second.text().size();
    }
    frame.results_bytes += result.text().size();
  }
  frame.results.insert_or_assign(index, std::move(result));
}

void Live::clear_collected(Frame& frame) {
  if (is_kept) {
    if (frame.arguments && !has_input_as_arguments(frame)) {
      writes.emplace_back(part_of(kArgumentsPart, frame.id), std::nullopt);
    }
    if (frame.items) writes.emplace_back(part_of(kItemsPart, frame.id), std::nullopt);
    for (const auto& [index, result] : frame.results) writes.emplace_back(result_part(frame.id, index), std::nullopt);
  }
  frame.arguments = {};
  frame.items = nullptr;
  frame.items_bytes = 0;
  frame.map_input = nullptr;
  frame.concurrency = 0;
  frame.results.clear();
  frame.results_bytes = 0;
}

void Live::erase_frame(FrameId id) {
  Frame* const frame = find(id);
  if (!frame) return;
  clear_collected(*frame);
  if (is_kept) {
    if (!frame->variables.empty()) writes.emplace_back(part_of(kVariablesPart, id), std::nullopt);
    writes.emplace_back(part_of(kFramePart, id), std::nullopt);
  }
  if (Frame* const parent = find(frame->parent); parent && parent->children > 0) --parent->children;
  frames.erase(id);
  dirty.erase(id);
}

size_t Live::bytes_on_hand() const {
  size_t bytes = 0;
  std::unordered_set<const std::string*> counted;
  const auto add = [&](const Payload& payload) {
    const std::string* const text = payload.known_text();
    if (text && counted.insert(text).second) bytes += text->size();
  };
  for (const auto& [id, frame] : frames) {
    add(frame.input);
    add(frame.arguments);
    if (frame.answer) bytes += frame.answer->output.size();
    bytes += frame.variables_bytes + frame.items_bytes + frame.results_bytes;
  }
  return bytes;
}

Task<std::optional<std::string>> read_head(store::Snapshot& reader, const ExecutionId& id) {
  co_return co_await reader.get(live_prefix(id) + kHeadPart);
}

Head decode_head(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Head head;
  head.edition = reader.u64();
  const uint8_t version = reader.u8();
  const bool is_known = version == kHeadVersion || version == kHeadVersionBefore;
  head.next_event = reader.u64();
  head.next_frame = reader.u32();
  head.status = static_cast<Status>(reader.u8());
  head.address.account = reader.string();
  head.address.region = reader.string();
  head.address.machine = reader.string();
  head.address.name = reader.string();
  head.revision = reader.string();
  head.role = reader.string();
  head.started = read_time(reader);
  head.redrives = reader.u32();
  if (reader.u8() != 0) head.redriven = read_time(reader);
  head.has_deadline = reader.u8() != 0;
  const uint32_t watchers = version == kHeadVersionBefore ? reader.u8() : reader.u32();
  for (uint32_t i = 0; i < watchers && reader.ok(); ++i) {
    Watcher watcher{.id = {std::string(reader.fixed(kExecutionIdBytes))}};
    watcher.frame = reader.u32();
    watcher.attempt = reader.u32();
    head.watchers.push_back(std::move(watcher));
  }
  head.map_run = reader.string();
  head.map_child = reader.u64();
  if (!is_known || !reader.ok() || head.status > Status::aborted) damaged("head");
  return head;
}

namespace {

void read_parts(Live& live, const std::vector<std::pair<std::string, std::string>>& parts) {
  Unfound unfound;
  for (const auto& [part, value] : parts) read_part(live, part, value, unfound);
  find_all(live, unfound);
  for (auto& [id, frame] : live.frames) {
    frame.at = live.machine->find(frame.state);
    if (!frame.at) damaged("state");
    if (Frame* const parent = live.find(frame.parent)) ++parent->children;
  }
}

}  // namespace

Task<void> read_frames(store::Transaction& reader, Live& live, LongEvaluations& evaluations) {
  const std::string prefix = live_prefix(live.id);
  live.frames.clear();
  std::vector<std::pair<std::string, std::string>> parts;
  size_t bytes = 0;
  co_await reader.scan_untracked(store::Range::prefix(prefix), store::Direction::forward,
                                 [&](std::string_view key, std::string_view value) {
                                   parts.emplace_back(key.substr(prefix.size()), value);
                                   bytes += value.size();
                                   return true;
                                 });
  co_await evaluations.run_large(bytes, [&] { read_parts(live, parts); });
}

Task<void> read_called(store::Transaction& reader, Live& live, FrameId id) {
  const std::string prefix = live_prefix(live.id);
  Unfound unfound;
  const auto read = [&](std::string part) -> Task<bool> {
    const auto value = co_await reader.get_untracked(prefix + part);
    if (value) read_part(live, part, *value, unfound);
    co_return value.has_value();
  };
  if (!co_await read(part_of(kFramePart, id))) co_return;
  (void)co_await read(part_of(kArgumentsPart, id));
  // Where the arguments are an input that is of the flow around, and that may have it of another.
  const auto is_elsewhere = [&] {
    return !unfound.empty() && unfound.back().second.from != InputFrom::own &&
           unfound.back().second.has_input_as_arguments;
  };
  while (is_elsewhere()) {
    const FrameId around = live.frames.at(unfound.back().first).parent;
    const size_t before = unfound.size();
    if (!co_await read(part_of(kFramePart, around))) damaged("input");
    (void)co_await read(part_of(kArgumentsPart, around));
    (void)co_await read(part_of(kItemsPart, around));
    if (unfound.size() == before) break;
  }
  // Whose arguments stand for themselves: its own input is not asked for.
  if (!unfound.empty() && !unfound.back().second.has_input_as_arguments) unfound.pop_back();
  std::ranges::reverse(unfound);
  find_all(live, unfound);
  Frame& frame = live.frames.at(id);
  frame.at = live.machine->find(frame.state);
  if (!frame.at) damaged("state");
}

void save(store::Transaction& txn, Live& live) {
  const std::string prefix = live_prefix(live.id);
  for (const auto& [part, value] : live.writes) {
    if (value) {
      txn.put(prefix + part, *value);
    } else {
      txn.erase(prefix + part);
    }
  }
  live.writes.clear();
  for (const FrameId id : live.dirty) {
    const Frame* const frame = live.find(id);
    if (frame) txn.put(prefix + part_of(kFramePart, id), encode_frame(*frame, live.find(frame->parent)));
  }
  live.dirty.clear();
  ++live.head.edition;
  live.head_bytes = encode_head(live.head);
  txn.put(prefix + kHeadPart, live.head_bytes);
}

void erase_unread(store::Transaction& txn, const ExecutionId& id) {
  const std::string prefix = live_prefix(id);
  txn.erase_range(store::Range::prefix(prefix));
  txn.erase(prefix + kHeadPart);  // guards all of it
}

void erase_live(store::Transaction& txn, Live& live) {
  while (!live.frames.empty()) live.erase_frame(live.frames.rbegin()->first);
  const std::string prefix = live_prefix(live.id);
  for (const auto& [part, value] : live.writes) txn.erase(prefix + part);
  live.writes.clear();
  live.dirty.clear();
  txn.erase(prefix + kHeadPart);
}

}  // namespace tidemill::states

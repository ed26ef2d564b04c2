#include "store/timer.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "base/crc32.h"
#include "base/ordered.h"
#include "store/keys.h"
#include "store/queue.h"

namespace tidemill::store {

namespace {

// T i kind id      -> due, set at      where to find the entry below, and which setting it is
// T d kind due id  -> payload          in order of due times: one queue for each kind
constexpr char kById = 'i';
constexpr char kByDue = 'd';

std::string key_prefix(char part) { return {static_cast<char>(KeySpace::timer), part}; }

std::string kind_prefix(char part, std::string_view kind) {
  std::string key = key_prefix(part);
  base::append_string(key, kind);
  return key;
}

std::string id_key(std::string_view kind, std::string_view id) {
  std::string key = kind_prefix(kById, kind);
  base::append_string(key, id);
  return key;
}

Queue queue_of(std::string_view kind) { return Queue(kind_prefix(kByDue, kind)); }

// Where those that are due then begin.
std::string due_begin(std::string_view kind, base::Time due) {
  std::string key = kind_prefix(kByDue, kind);
  base::append_i64(key, due.time_since_epoch().count());
  return key;
}

std::string due_key(std::string_view kind, base::Time due, std::string_view id) {
  std::string key = due_begin(kind, due);
  base::append_string(key, id);
  return key;
}

struct Setting {
  base::Time due;
  Version set_at;
};

std::string encode_setting(const Setting& setting) {
  std::string value;
  base::append_i64(value, setting.due.time_since_epoch().count());
  base::append_u64(value, setting.set_at.value);
  return value;
}

Setting decode_setting(std::string_view value) {
  base::OrderedReader reader(value);
  Setting setting;
  setting.due = base::Time(base::Duration(reader.i64()));
  // Entries of before there were settings end here.
  if (!reader.at_end()) setting.set_at.value = reader.u64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a timer's entry is not readable");
  return setting;
}

bool is_of(const std::optional<std::string>& entry, const Timer& timer) {
  if (!entry) return false;
  const Setting setting = decode_setting(*entry);
  return setting.due == timer.due && setting.set_at == timer.set_at;
}

Timer decode_timer(std::string_view key, std::string_view payload) {
  base::OrderedReader reader(key);
  (void)reader.fixed(key_prefix(kByDue).size());
  Timer timer;
  timer.kind = reader.string();
  timer.due = base::Time(base::Duration(reader.i64()));
  timer.id = reader.string();
  timer.payload = payload;
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a timer's key is not readable");
  return timer;
}

// The timers of `kind` with due <= `until`.
Task<Range> due_range(Snapshot& snapshot, std::string_view kind, base::Time until) {
  co_return Range{co_await queue_of(kind).front(snapshot), base::prefix_end(due_begin(kind, until))};
}

// Each kind of which there is a timer, with the first one's due time.
Task<std::vector<std::pair<std::string, base::Time>>> kinds_and_first_due(Snapshot& snapshot) {
  std::vector<std::pair<std::string, base::Time>> result;
  Range rest = Range::prefix(key_prefix(kByDue));
  for (bool found = true; found;) {
    found = false;
    co_await snapshot.scan(rest, first(1), [&](std::string_view key, std::string_view payload) {
      const Timer timer = decode_timer(key, payload);
      result.emplace_back(timer.kind, timer.due);
      return found = true;
    });
    if (found) rest.begin = base::prefix_end(kind_prefix(kByDue, result.back().first));
  }
  co_return result;
}

}  // namespace

std::string timer_partition(TimerKind kind, size_t partition) {
  std::string name(kind.name);
  if (partition > 0) name += '/' + std::to_string(partition);
  return name;
}

std::string timer_partition_of(TimerKind kind, std::string_view owner) {
  return timer_partition(kind, base::crc32(owner) % kTimerPartitions);
}

std::string timers_topic(TimerKind kind) { return std::string(kTimersTopic) + '/' + std::string(kind.name); }

void put_timer(Transaction& txn, const Timer& timer) {
  txn.put(id_key(timer.kind, timer.id), encode_setting({timer.due, txn.version()}));
  queue_of(timer.kind).put(txn, due_key(timer.kind, timer.due, timer.id), timer.payload);
  txn.signal(kTimersTopic);
  txn.signal(timers_topic({timer.kind}));
}

Task<void> set_timer(Transaction& txn, const Timer& timer) {
  co_await cancel_timer(txn, {timer.kind}, timer.id);
  put_timer(txn, timer);
}

Task<void> cancel_timer(Transaction& txn, TimerKind kind, std::string_view id) {
  const auto due = co_await timer_due(txn, kind, id);
  if (!due) co_return;
  txn.erase(id_key(kind.name, id));
  txn.erase(due_key(kind.name, *due, id));
}

Task<std::optional<base::Time>> timer_due(Transaction& txn, TimerKind kind, std::string_view id) {
  const auto value = co_await txn.get(id_key(kind.name, id));
  if (!value) co_return std::nullopt;
  co_return decode_setting(*value).due;
}

Task<bool> identify_timer(Snapshot& snapshot, Timer& timer) {
  const auto entry = co_await snapshot.get(id_key(timer.kind, timer.id));
  if (!entry) co_return false;
  const Setting setting = decode_setting(*entry);
  timer.set_at = setting.set_at;
  co_return setting.due == timer.due;
}

Task<bool> finish_timer(Transaction& txn, const Timer& timer) {
  if (!is_of(co_await txn.get(id_key(timer.kind, timer.id)), timer)) co_return false;
  txn.erase(id_key(timer.kind, timer.id));
  txn.erase(due_key(timer.kind, timer.due, timer.id));
  co_return true;
}

Task<bool> timer_stands(Snapshot& snapshot, const Timer& timer) {
  co_return is_of(co_await snapshot.get(id_key(timer.kind, timer.id)), timer);
}

Task<std::vector<Timer>> due_timers(Snapshot& snapshot, TimerKind kind, base::Time until, size_t limit) {
  std::vector<Timer> timers;
  if (limit == 0) co_return timers;
  const Range range = co_await due_range(snapshot, kind.name, until);
  co_await snapshot.scan(range, first(limit),
                         [&](std::string_view key, std::string_view payload) {
                           timers.push_back(decode_timer(key, payload));
                           return true;
                         });
  co_return timers;
}

Task<DueTimers> look_at_timers(Snapshot& snapshot, TimerKind kind, base::Time now, size_t limit) {
  DueTimers found;
  const Range range = co_await due_range(snapshot, kind.name, base::Time::max());
  co_await snapshot.scan(range, first(limit + 1), [&](std::string_view key, std::string_view payload) {
    Timer timer = decode_timer(key, payload);
    if (timer.due > now || found.due.size() == limit) {
      found.next = timer.due;
      return false;
    }
    found.due.push_back(std::move(timer));
    return true;
  });
  co_return found;
}

Task<void> pass_finished_timers(Store& store, TimerKind kind, base::Time until) {
  co_await queue_of(kind.name).raise(store, due_begin(kind.name, until));
}

Task<std::vector<Timer>> due_timers(Snapshot& snapshot, base::Time until, size_t limit) {
  std::vector<Timer> timers;
  for (const auto& [kind, first_due] : co_await kinds_and_first_due(snapshot)) {
    if (first_due > until) continue;
    auto more = co_await due_timers(snapshot, {kind}, until, limit);
    std::move(more.begin(), more.end(), std::back_inserter(timers));
  }
  std::sort(timers.begin(), timers.end(), [](const Timer& a, const Timer& b) {
    return std::tie(a.due, a.kind, a.id) < std::tie(b.due, b.kind, b.id);
  });
  if (timers.size() > limit) timers.resize(limit);
  co_return timers;
}

Task<std::optional<base::Time>> next_timer_due(Snapshot& snapshot, TimerKind kind) {
  const auto first = co_await due_timers(snapshot, kind, base::Time::max(), 1);
  if (first.empty()) co_return std::nullopt;
  co_return first.front().due;
}

Task<std::optional<base::Time>> next_timer_due(Snapshot& snapshot) {
  std::optional<base::Time> earliest;
  for (const auto& [kind, due] : co_await kinds_and_first_due(snapshot)) {
    if (!earliest || due < *earliest) earliest = due;
  }
  co_return earliest;
}

}  // namespace tidemill::store

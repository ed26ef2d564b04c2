#include "services/sqs/taking.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "services/sqs/counts.h"
#include "services/sqs/new_message.h"
#include "services/sqs/receive_attempt.h"

namespace tidemill::sqs {
namespace {

// How far the store is ahead of the clock that has gone back: commits in quick order are ahead by less.
constexpr std::chrono::seconds kClockWentBack{1};
// Of the entries ahead of such a clock, those that are looked at; what is hidden among them stands in the way of the
// rest.
constexpr size_t kLookedAtAheadMax = 100'000;

}  // namespace

size_t TakeResult::count() const {
  size_t sum = 0;
  for (const auto& each : taken) sum += each.size();
  return sum;
}

Task<TakeResult> Taking::run() {
  result_.taken.resize(wanted_.size());
  repeated_.resize(wanted_.size());
  groups_taken_.resize(wanted_.size());
  co_await repeat_attempts();
  const std::vector<Available> available = co_await find_available();
  result_.exhausted = available.size() < looked_at();
  result_.floor = available.empty() ? now_ : available.back().time;
  if (result_.exhausted) result_.floor = now_;
  for (const Available& next : available) {
    if (co_await (queue_.is_fifo() ? take_group(next.who, next.time) : take_message(next))) continue;
    result_.exhausted = false;
    result_.floor = next.time;
    break;
  }
  if (later_) co_await find_next();
  co_await remember_attempts();
  co_return std::move(result_);
}

// Before anything else is taken. Of two with the same id one waits for what the other is given.
Task<void> Taking::repeat_attempts() {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i].attempt.empty()) continue;
    repeated_[i] = !seen.insert(wanted_[i].attempt).second || co_await repeat(i);
  }
}

// Gives the receiver what its attempt was given before. False: there is nothing, or it is not as it was.
Task<bool> Taking::repeat(size_t receiver) {
  auto attempt = co_await load_attempt(txn_, queue_, wanted_[receiver].attempt, now_);
  if (!attempt) co_return false;
  std::vector<Taken> again;
  for (const auto& [position, receive, available] : attempt->given) {
    const auto bytes = co_await txn_.get(state_key(queue_.id, position));
    if (!bytes) co_return false;
    MessageRecord record = decode_record(*bytes);
    const MessageState& state = record.state;
    if (state.receives != receive || state.available != available || available <= now_) co_return false;
    Message message = co_await MessageStore::message_of(txn_, queue_, position, record);
    again.push_back({position, std::move(message), std::move(record)});
  }
  std::set<std::string> groups;
  for (size_t i = 0; i < again.size(); ++i) {
    auto& [position, message, record] = again[i];
    const MessageState before = record.state;
    record.state.available = attempt->given[i].available = now_ + visibility_of(wanted_[receiver]);
    count_change(txn_, queue_, &before, &record.state);
    txn_.put(state_key(queue_.id, position), encode_record(record));
    groups.insert(encode_group_name(message.group));
  }
  for (const std::string& group : groups) co_await follow_visibility(txn_, queue_, group, now_);
  co_await save_attempt(txn_, queue_, wanted_[receiver].attempt, *attempt);
  result_.taken[receiver] = std::move(again);
  co_return true;
}

Task<void> Taking::remember_attempts() {
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i].attempt.empty() || repeated_[i] || result_.taken[i].empty()) continue;
    ReceiveAttempt attempt{.expires = now_ + kDeduplicationWindow};
    for (const Taken& taken : result_.taken[i]) {
      attempt.given.push_back({taken.position, taken.record.state.receives, taken.record.state.available});
    }
    co_await save_attempt(txn_, queue_, wanted_[i].attempt, attempt);
  }
}

// Some more than wanted, since some may have expired or go elsewhere.
size_t Taking::looked_at() const {
  size_t wanted = 0;
  for (const Wanted& each : wanted_) wanted += each.count;
  return std::min(wanted + kLookedAtBeyond, kLookedAtMax);
}

Task<std::vector<Available>> Taking::find_available() {
  std::vector<Available> found;
  const size_t most = looked_at();
  store::Range range = available_range(queue_.id, floor_, now_ + base::Duration(1));
  range.begin = std::max(range.begin, co_await availability(queue_.id).front_untracked(txn_));
  co_await txn_.scan_untracked(range, store::Direction::forward, [&](std::string_view key, std::string_view record) {
    found.push_back(available_of_key(key));
    found.back().record = record;
    return found.size() < most;
  });
  if (found.size() < most) co_await find_ahead(found, most - found.size());
  co_return found;
}

// Entries ahead of the time, of a store that was ahead of it too: the machine's clock went back while the server was
// not running. Those that nothing hides are available.
Task<void> Taking::find_ahead(std::vector<Available>& found, size_t most) {
  const base::Time stored = txn_.version().time();
  if (stored <= now_ + kClockWentBack) co_return;
  std::vector<Available> ahead;
  co_await txn_.scan_untracked(available_range(queue_.id, now_ + base::Duration(1), stored + base::Duration(1)),
                               store::first(kLookedAtAheadMax), [&](std::string_view key, std::string_view record) {
                                 ahead.push_back(available_of_key(key));
                                 ahead.back().record = record;
                                 return true;
                               });
  for (Available& each : ahead) {
    if (most == 0) co_return;
    if (!co_await is_plain(each)) continue;
    found.push_back(std::move(each));
    --most;
  }
}

Task<bool> Taking::is_plain(const Available& available) {
  if (!available.record.empty()) co_return !is_hidden(decode_state(available.record), now_);
  if (!queue_.is_fifo()) {
    const auto bytes = co_await txn_.get_untracked(state_key(queue_.id, Position{available.who}));
    co_return bytes && !is_hidden(decode_state(*bytes), now_);
  }
  const auto group = co_await load_group(txn_, queue_.id, available.who);
  if (!group) co_return false;
  const auto unlocked = co_await find_unlocked(txn_, queue_, available.who, group->front, now_);
  co_return unlocked && unlocked->at <= now_;
}

// What was taken and deleted within a visibility timeout has left dead keys, which may be many; so nothing is looked
// for where it cannot be.
Task<void> Taking::find_next() {
  if (!result_.exhausted) {
    result_.later = std::min(*later_, first_hidden_until_);
    co_return;
  }
  base::Time next = first_hidden_until_;
  const base::Time from = std::max(*later_, now_ + base::Duration(1));
  co_await txn_.scan_untracked(available_range(queue_.id, from, base::Time::max()), store::Direction::forward,
                               [&](std::string_view key, std::string_view) {
                                 next = std::min(next, available_of_key(key).time);
                                 return false;
                               });
  result_.later = next;
  if (next != base::Time::max()) result_.next = next;
}

// Moves on to the first receiver who wants more. False: nobody does, or this transaction carries enough.
bool Taking::has_room() {
  if (bytes_ >= kBytesMax || given_up_ >= static_cast<size_t>(kSequenceNumbersPerCommit)) return false;
  if (taken_ >= most_) return false;
  while (receiver_ < wanted_.size() && is_served(receiver_)) ++receiver_;
  return receiver_ < wanted_.size();
}

bool Taking::is_served(size_t receiver) const {
  const Wanted& wanted = wanted_[receiver];
  return repeated_[receiver] || result_.taken[receiver].size() >= wanted.count ||
         groups_taken_[receiver] >= wanted.groups;
}

std::chrono::seconds Taking::visibility_of(const Wanted& wanted) const {
  return wanted.choose_visibility ? wanted.choose_visibility(queue_.settings.visibility) : wanted.visibility;
}

// Of a standard queue. False: it was left where it is.
Task<bool> Taking::take_message(const Available& available) {
  if (!has_room()) co_return false;
  const Position position{available.who};
  const std::string entry = available_key(queue_.id, available.time, available.who);
  MessageRecord record;
  if (available.record.empty()) {
    const auto bytes = co_await txn_.get(state_key(queue_.id, position));
    if (!bytes) throw std::runtime_error("a message is available and not there");
    record = decode_record(*bytes);
  } else {
    txn_.track(entry);
    record = decode_record(available.record);
  }
  txn_.erase(entry);
  if (co_await judge(position, record) == Fate::gone) co_return true;
  const base::Time hidden_until = co_await hand_out(position, std::move(record));
  availability(queue_.id).put(txn_, available_key(queue_.id, hidden_until, position.bytes), "");
  co_return true;
}

// As many of the group's messages as the receiver has room for. False: it was left as it is.
Task<bool> Taking::take_group(const std::string& name, base::Time available) {
  if (!has_room()) co_return false;
  const auto before = co_await load_group(txn_, queue_.id, name);
  if (!before || before->available != available) throw std::runtime_error("a group is available and not there");
  std::vector<Position> positions;
  co_await txn_.scan_untracked(group_messages_range(queue_.id, name, before->front), store::Direction::forward,
                               [&](std::string_view key, std::string_view) {
                                 positions.push_back(position_of_key(key));
                                 return positions.size() < kLookedAtMax;
                               });
  Group after{.front = before->front};
  size_t taken = 0;
  const size_t receiver = receiver_;
  for (const Position& position : positions) {
    // A group is locked for others by what this receiver takes of it.
    if (!has_room() || receiver_ != receiver || taken >= wanted_[receiver].per_group) break;
    const auto bytes = co_await txn_.get_untracked(state_key(queue_.id, position));
    MessageRecord record = bytes ? decode_record(*bytes) : MessageRecord{};
    if (bytes && is_hidden(record.state, now_)) break;
    if (!bytes || co_await judge(position, record) == Fate::gone) {
      txn_.erase(group_message_key(queue_.id, name, position));
      after.front = position;
      continue;
    }
    const base::Time hidden_until = co_await hand_out(position, std::move(record));
    if (taken++ == 0) after.available = hidden_until;
  }
  if (taken == 0) {
    const auto unlocked = co_await find_unlocked(txn_, queue_, name, after.front, now_);
    if (!unlocked) {
      txn_.erase(available_key(queue_.id, before->available, name));
      txn_.erase(group_key(queue_.id, name));
      co_return true;
    }
    after.front = unlocked->first;
    after.available = unlocked->at;
  }
  if (taken > 0) ++groups_taken_[receiver];
  save_group(txn_, queue_.id, name, before, after);
  // What is left in the group although it is not locked is for the next transaction.
  co_return taken > 0 || after.available > now_;
}

// Whether the message may be received once more; if not, it is gone from here.
Task<Taking::Fate> Taking::judge(const Position& position, const MessageRecord& record) {
  if (queue_.expiry_of(record.state.sent) <= now_) {
    MessageStore::erase(txn_, queue_, position, record);
    co_return Fate::gone;
  }
  const auto& redrive = queue_.settings.redrive;
  if (!redrive || record.state.receives < static_cast<uint32_t>(redrive->receives_max)) co_return Fate::stays;
  if (!std::exchange(is_dead_letter_queue_known_, true)) {
    dead_letter_queue_ = co_await messages_.queues().find(txn_, redrive->target);
  }
  // Without a place to go it stays, rather than being lost.
  if (!dead_letter_queue_) co_return Fate::stays;
  co_await give_up(position, record);
  co_return Fate::gone;
}

Task<void> Taking::give_up(const Position& position, const MessageRecord& record) {
  Message message = co_await MessageStore::message_of(txn_, queue_, position, record);
  MessageStore::erase(txn_, queue_, position, record);
  message.source_arn = queue_.address.arn();
  message.receives_before += record.state.receives;
  // Retention counts from when it was first sent; in a FIFO queue, from now on.
  const MessageState fresh{.sent = queue_.is_fifo() ? now_ : record.state.sent, .available = now_};
  if (queue_.is_fifo()) message.sequence_number = sequence_number(txn_.version(), given_up_);
  ++given_up_;
  co_await messages_.add(txn_, *dead_letter_queue_, message, fresh);
}

Task<base::Time> Taking::hand_out(const Position& position, MessageRecord record) {
  Message message = co_await MessageStore::message_of(txn_, queue_, position, record);
  MessageState& state = record.state;
  const MessageState before = state;
  ++state.receives;
  if (state.receives == 1) state.first_received = now_;
  state.last_received = now_;
  state.available = now_ + visibility_of(wanted_[receiver_]);
  if (!queue_.is_fifo() && state.available > now_) {
    first_hidden_until_ = std::min(first_hidden_until_, state.available);
  }
  count_change(txn_, queue_, &before, &state);
  states(queue_.id).put(txn_, state_key(queue_.id, position), encode_record(record));
  bytes_ += size_of(message);
  ++taken_;
  auto& taken = result_.taken[receiver_];
  taken.reserve(std::min(wanted_[receiver_].count, kLookedAtMax));
  const base::Time available = state.available;
  taken.push_back({position, std::move(message), std::move(record)});
  co_return available;
}

}  // namespace tidemill::sqs

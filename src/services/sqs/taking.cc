#include "services/sqs/taking.h"

#include <stdexcept>

namespace tidemill::sqs {

Task<TakeResult> Taking::run() {
  result_.taken.resize(wanted_.size());
  const std::vector<Available> available = co_await find_available();
  result_.exhausted = available.size() < kLookedAtMax;
  result_.floor = available.empty() ? now_ : available.back().time;
  if (result_.exhausted) result_.floor = now_;
  for (const auto& [time, who] : available) {
    const bool goes_on = queue_.is_fifo() ? co_await take_group(who, time) : co_await take_message(Position{who});
    if (goes_on) continue;
    result_.exhausted = false;
    result_.floor = time;
    break;
  }
  if (result_.exhausted) result_.next = co_await next_available();
  co_return std::move(result_);
}

Task<std::vector<Available>> Taking::find_available() {
  std::vector<Available> found;
  co_await txn_.scan_untracked(available_range(queue_.id, floor_, now_ + base::Duration(1)), store::Direction::forward,
                               [&](std::string_view key, std::string_view) {
                                 found.push_back(available_of_key(key));
                                 return found.size() < kLookedAtMax;
                               });
  co_return found;
}

Task<std::optional<base::Time>> Taking::next_available() {
  std::optional<base::Time> next;
  co_await txn_.scan_untracked(available_range(queue_.id, now_ + base::Duration(1), base::Time::max()),
                               store::Direction::forward, [&](std::string_view key, std::string_view) {
                                 next = available_of_key(key).time;
                                 return false;
                               });
  co_return next;
}

// Moves on to the first receiver who wants more. False: nobody does, or this transaction carries enough.
bool Taking::has_room() {
  if (bytes_ >= kBytesMax || given_up_ >= static_cast<size_t>(kSequenceNumbersPerCommit)) return false;
  while (receiver_ < wanted_.size() && result_.taken[receiver_].size() >= wanted_[receiver_].count) ++receiver_;
  return receiver_ < wanted_.size();
}

// Of a standard queue. False: it was left where it is.
Task<bool> Taking::take_message(const Position& position) {
  if (!has_room()) co_return false;
  const auto bytes = co_await txn_.get(state_key(queue_.id, position));
  if (!bytes) throw std::runtime_error("a message is available and not there");
  MessageState state = decode_state(*bytes);
  txn_.erase(available_key(queue_.id, state.available, position.bytes));
  if (co_await judge(position, state) == Fate::gone) co_return true;
  co_await hand_out(position, state);
  txn_.put(available_key(queue_.id, state.available, position.bytes), "");
  co_return true;
}

// As many of the group's messages as the receiver has room for. False: it was left as it is.
Task<bool> Taking::take_group(const std::string& name, base::Time available) {
  if (!has_room()) co_return false;
  const auto before = co_await load_group(txn_, queue_.id, name);
  if (!before || before->available != available) throw std::runtime_error("a group is available and not there");
  std::vector<Position> positions;
  co_await txn_.scan_untracked(group_messages_range(queue_.id, name), store::Direction::forward,
                               [&](std::string_view key, std::string_view) {
                                 positions.push_back(position_of_key(key));
                                 return positions.size() < kLookedAtMax;
                               });
  Group after;
  const size_t receiver = receiver_;
  for (const Position& position : positions) {
    // A group is locked for others by what this receiver takes of it.
    if (!has_room() || receiver_ != receiver) break;
    const auto bytes = co_await txn_.get_untracked(state_key(queue_.id, position));
    MessageState state = bytes ? decode_state(*bytes) : MessageState{};
    if (bytes && state.available > now_) break;
    if (!bytes || co_await judge(position, state) == Fate::gone) {
      txn_.erase(group_message_key(queue_.id, name, position));
      continue;
    }
    co_await hand_out(position, state);
    after.in_flight.push_back(position);
    after.available = state.available;
  }
  if (after.in_flight.empty()) {
    const auto unlocked = co_await unlocked_at(txn_, queue_, name, now_);
    if (!unlocked) {
      txn_.erase(available_key(queue_.id, before->available, name));
      txn_.erase(group_key(queue_.id, name));
      co_return true;
    }
    after.available = *unlocked;
  }
  save_group(txn_, queue_.id, name, before, after);
  // What is left in the group although it is not locked is for the next transaction.
  co_return !after.in_flight.empty() || after.available > now_;
}

// Whether the message may be received once more; if not, it is gone from here.
Task<Taking::Fate> Taking::judge(const Position& position, const MessageState& state) {
  if (queue_.expiry_of(state.sent) <= now_) {
    MessageStore::erase(txn_, queue_, position);
    co_return Fate::gone;
  }
  const auto& redrive = queue_.settings.redrive;
  if (!redrive || state.receives < static_cast<uint32_t>(redrive->receives_max)) co_return Fate::stays;
  if (!std::exchange(is_dead_letter_queue_known_, true)) {
    dead_letter_queue_ = co_await messages_.queues().find(txn_, redrive->target);
  }
  // Without a place to go it stays, rather than being lost.
  if (!dead_letter_queue_) co_return Fate::stays;
  co_await give_up(position, state);
  co_return Fate::gone;
}

Task<void> Taking::give_up(const Position& position, const MessageState& state) {
  const auto bytes = co_await txn_.get_untracked(message_key(queue_.id, position));
  if (!bytes) throw std::runtime_error("a message has no body");
  MessageStore::erase(txn_, queue_, position);
  Message message = decode_message(*bytes);
  message.source_arn = queue_.address.arn();
  // Retention counts from when it was first sent; in a FIFO queue, from now on.
  const MessageState fresh{.sent = queue_.is_fifo() ? now_ : state.sent, .available = now_};
  if (queue_.is_fifo()) message.sequence_number = sequence_number(txn_.version(), given_up_);
  ++given_up_;
  co_await messages_.add(txn_, *dead_letter_queue_, message, fresh);
}

Task<void> Taking::hand_out(const Position& position, MessageState& state) {
  const auto bytes = co_await txn_.get_untracked(message_key(queue_.id, position));
  if (!bytes) throw std::runtime_error("a message has no body");
  ++state.receives;
  if (state.receives == 1) state.first_received = now_;
  state.last_received = now_;
  state.available = now_ + wanted_[receiver_].visibility;
  txn_.put(state_key(queue_.id, position), encode_state(state));
  bytes_ += bytes->size();
  result_.taken[receiver_].push_back({position, decode_message(*bytes), state});
}

}  // namespace tidemill::sqs

// Takes messages out of a queue for receivers, within a transaction: those that are available first, and of a FIFO
// queue's group as many as there is room for. On the way, messages that have expired go, and those that were received
// too often go to the dead-letter queue.
//
// It looks for messages without having the transaction track the search, and tracks only what it takes: sending never
// conflicts with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "services/sqs/fifo.h"
#include "services/sqs/message_store.h"

namespace tidemill::sqs {

// What one receiver wants.
struct Wanted {
  size_t count = 1;
  std::chrono::seconds visibility{0};
  std::string attempt = {};  // ReceiveRequestAttemptId
  // For those who may wait long: the visibility timeout by what the queue's own is when messages are taken.
  std::function<std::chrono::seconds(std::chrono::seconds own)> choose_visibility = {};
  // Of a FIFO queue: messages of how many groups, and how many of each.
  size_t groups = SIZE_MAX;
  size_t per_group = SIZE_MAX;
};

struct Taken {
  Position position;
  Message message;
  MessageRecord record;  // with this receive
};

struct TakeResult {
  std::vector<std::vector<Taken>> taken;  // for each Wanted
  bool exhausted = false;                 // nothing else is available
  base::Time floor;                       // nothing is available before, but what is on its way
  std::optional<base::Time> next;         // when something becomes available by itself; only if exhausted
  base::Time later{base::Time::min()};    // nothing becomes available by itself before, of a standard queue
  bool is_over_limit = false;             // nothing was taken because too many are in flight

  [[nodiscard]] size_t count() const;
};

class Taking {
 public:
  // Looks at no more in one transaction, nor takes more bytes of messages.
  static constexpr size_t kLookedAtMax = 1'000;
  static constexpr size_t kLookedAtBeyond = 16;  // what is wanted
  static constexpr size_t kBytesMax = 8 << 20;

  // Nothing before `floor` is available; takes no more than `most`. Nothing that is there becomes available by itself
  // before `later`; without it nobody wants to know what does (TakeResult::next). All of it outlives the taking.
  Taking(store::Transaction& txn, MessageStore& messages, const Queue& queue, const std::vector<Wanted>& wanted,
         base::Time floor, base::Time now, size_t most = SIZE_MAX, std::optional<base::Time> later = {})
      : txn_(txn),
        messages_(messages),
        queue_(queue),
        wanted_(wanted),
        floor_(floor),
        now_(now),
        most_(most),
        later_(later) {}

  Task<TakeResult> run();

 private:
  enum class Fate { stays, gone };

  Task<void> repeat_attempts();
  Task<bool> repeat(size_t receiver);
  Task<void> remember_attempts();
  Task<std::vector<Available>> find_available();
  Task<void> find_ahead(std::vector<Available>& found, size_t most);
  Task<bool> is_plain(const Available& available);
  Task<bool> take_message(const Available& available);
  Task<bool> take_group(const std::string& group, base::Time available);
  Task<Fate> judge(const Position& position, const MessageRecord& record);
  Task<void> give_up(const Position& position, const MessageRecord& record);
  // Leaves the message's entry under 'v' to the caller; until when it is hidden.
  Task<base::Time> hand_out(const Position& position, MessageRecord record);
  Task<void> find_next();
  [[nodiscard]] bool has_room();
  [[nodiscard]] bool is_served(size_t receiver) const;
  [[nodiscard]] std::chrono::seconds visibility_of(const Wanted& wanted) const;
  [[nodiscard]] size_t looked_at() const;

  store::Transaction& txn_;
  MessageStore& messages_;
  const Queue& queue_;
  const std::vector<Wanted>& wanted_;
  const base::Time floor_;
  const base::Time now_;
  const size_t most_;
  const std::optional<base::Time> later_;

  TakeResult result_;
  size_t receiver_ = 0;  // whose turn it is
  size_t taken_ = 0;
  std::vector<size_t> groups_taken_;  // by each receiver
  std::vector<bool> repeated_;  // of each receiver: it got what it had got before, and no more
  base::Time first_hidden_until_{base::Time::max()};  // of what it took
  size_t bytes_ = 0;
  size_t given_up_ = 0;
  bool is_dead_letter_queue_known_ = false;
  QueuePtr dead_letter_queue_;
};

}  // namespace tidemill::sqs

#include "engine/mappings/queue_deliveries.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "engine/mappings/mapping_events.h"
#include "engine/mappings/queue_answer.h"
#include "engine/mappings/queue_batch.h"
#include "engine/mappings/retry_policy.h"

namespace tidemill::engine {

namespace {

// Before a removal that failed is tried again.
constexpr auto kRemovalPause = std::chrono::seconds(1);

// A call that has not been refused for so long has its place: there is none to be waited for before a refusal.
constexpr auto kRefusedWithin = std::chrono::seconds(1);

std::vector<std::string> receipts_of(const std::vector<ReceivedMessage>& messages) {
  std::vector<std::string> receipts;
  receipts.reserve(messages.size());
  for (const ReceivedMessage& message : messages) receipts.push_back(message.receipt);
  return receipts;
}

size_t bytes_of(const std::vector<ReceivedMessage>& messages) {
  size_t bytes = 0;
  for (const ReceivedMessage& message : messages) bytes += message.event_json.size();
  return bytes;
}

// The first `count` messages, which then are no longer among them.
std::vector<ReceivedMessage> take_front(std::vector<ReceivedMessage>& messages, size_t count) {
  const auto end = messages.begin() + static_cast<ptrdiff_t>(count);
  std::vector<ReceivedMessage> front(std::make_move_iterator(messages.begin()), std::make_move_iterator(end));
  messages.erase(messages.begin(), end);
  return front;
}

base::Time first_visible(const std::vector<ReceivedMessage>& messages) {
  base::Time first = base::Time::max();
  for (const ReceivedMessage& message : messages) first = std::min(first, message.visible_again);
  return first;
}

}  // namespace

// A place among the batches in flight, also if the delivery that holds it is destroyed. It may be left before the
// delivery ends: what a function has finished is removed while the next batch runs.
class QueueDeliveries::Place {
 public:
  enum class Kind { batch, removal };

  Place(QueueDeliveries& deliveries, size_t bytes, Kind kind = Kind::batch)
      : deliveries_(deliveries), bytes_(bytes), has_left_(kind == Kind::removal) {
    if (!has_left_) ++deliveries_.in_flight_;
    ++deliveries_.settling_;
    deliveries_.run_.held.bytes += bytes_;
  }
  ~Place() {
    leave();
    deliveries_.run_.held.bytes -= bytes_;
    --deliveries_.settling_;
    deliveries_.progress_.signal();
  }
  Place(const Place&) = delete;

  void leave() {
    if (std::exchange(has_left_, true)) return;
    --deliveries_.in_flight_;
    deliveries_.ended();
  }

 private:
  QueueDeliveries& deliveries_;
  size_t bytes_;
  bool has_left_;
};

// A place in the line of those who wait for another try. It is kept while that may still be refused: with it the poller
// would take messages for a function that has no place for them.
class QueueDeliveries::Waiting {
 public:
  explicit Waiting(QueueDeliveries& deliveries)
      : deliveries_(deliveries), place_(deliveries.waiting_.insert(deliveries.waiting_.end(), Waiter())) {}
  ~Waiting() { leave(); }
  Waiting(const Waiting&) = delete;

  [[nodiscard]] base::Signal signal() const { return place_->signal; }
  void stands_in_line() { place_->state = Waiter::State::in_line; }
  // It is tried again, once.
  void is_tried() {
    place_->state = Waiter::State::tried;
    base::Clock& clock = deliveries_.run_.clock;
    has_place_ = clock.call_at(base::Executor::current(), clock.now() + kRefusedWithin, [this] { leave(); });
  }

 private:
  void leave() {
    if (std::exchange(has_left_, true)) return;
    deliveries_.waiting_.erase(place_);
    deliveries_.progress_.signal();
  }

  QueueDeliveries& deliveries_;
  std::list<Waiter>::iterator place_;
  bool has_left_ = false;
  base::Alarm has_place_;
};

QueueDeliveries::QueueDeliveries(QueueRun& run, base::Signal progress) : run_(run), progress_(std::move(progress)) {}

QueueDeliveries::~QueueDeliveries() { tasks_.clear(); }

void QueueDeliveries::start(std::vector<ReceivedMessage> messages) { tasks_.spawn(deliver(std::move(messages))); }

void QueueDeliveries::drop(std::vector<ReceivedMessage> messages) {
  run_.metrics.filtered.add(messages.size());
  tasks_.spawn(remove_unwanted(std::move(messages)));
}

void QueueDeliveries::give_back(std::vector<ReceivedMessage> messages) { tasks_.spawn(show(std::move(messages))); }

void QueueDeliveries::stop() {
  stopping_ = true;
  for (const Waiter& waiting : waiting_) waiting.signal.signal();
}

// There is room at the function, perhaps: whoever waits longest for it need not wait for its time. Those in line are
// called.
void QueueDeliveries::ended() {
  const auto first = std::ranges::find(waiting_, Waiter::State::resting, &Waiter::state);
  if (first != waiting_.end()) first->signal.signal();
  progress_.signal();
}

// ---- one batch --------------------------------------------------------------------------------------------------

Task<void> QueueDeliveries::deliver(std::vector<ReceivedMessage> messages) {
  Place place(*this, bytes_of(messages));
  while (!messages.empty()) {
    std::vector<ReceivedMessage> part = take_front(messages, cut_messages(messages, messages.size()).count);
    const Verdict verdict = co_await deliver_part(std::move(part), messages.empty(), place);
    if (verdict == Verdict::succeeded) continue;
    if (verdict == Verdict::not_run && stopping_) co_await show(std::move(messages));
    co_return;
  }
}

Task<QueueDeliveries::Verdict> QueueDeliveries::deliver_part(std::vector<ReceivedMessage> messages, bool is_last,
                                                             Place& place) {
  const size_t count = messages.size();
  const auto outcome = co_await invoke(messages);
  if (!outcome) {
    place.leave();
    if (stopping_) co_await show(std::move(messages));
    co_return Verdict::not_run;
  }
  auto finished = succeeded(std::move(messages), *outcome);
  const size_t failed = count - (finished ? finished->size() : 0);
  add_events(run_.usage, *run_.config, kFailedInvokeEvents, failed);
  if (is_last || failed > 0) place.leave();
  if (finished) {
    run_.metrics.records.add(finished->size());
    co_await remove(*std::move(finished));
  }
  co_return failed == 0 ? Verdict::succeeded : Verdict::failed;
}

// What the function answered once it ran. Nothing: it did not, for as long as the queue hides the messages.
Task<std::optional<InvokeOutcome>> QueueDeliveries::invoke(std::vector<ReceivedMessage>& messages) {
  run_.metrics.batches.add();
  const base::Time end = first_visible(messages);
  PlaceWait place;
  std::optional<Waiting> waiting;
  for (uint32_t failures = 1;; ++failures) {
    const auto config = run_.config;
    InvokeOutcome outcome{.status = InvokeStatus::failed};
    add_events(run_.usage, *config, kInvokedEvents, messages.size());
    try {
      outcome = co_await run_.invoker.invoke_in_turn(config->function_arn, event_of(messages), place.take());
    } catch (const std::exception& error) {
      outcome.detail = error.what();
    }
    if (outcome.status == InvokeStatus::ok) co_return outcome;
    run_.metrics.errors.add();
    base::log_warning("a mapping's batch failed", {{"mapping", config->uuid},
                                                   {"function", config->function_arn},
                                                   {"messages", std::to_string(messages.size())},
                                                   {"first", messages.front().message_id},
                                                   {"detail", outcome.detail}});
    if (outcome.status == InvokeStatus::function_error) co_return outcome;
    add_events(run_.usage, *config, kFailedInvokeEvents, messages.size());
    PlaceWait* const line = outcome.status == InvokeStatus::throttled ? &place : nullptr;
    waiting.emplace(*this);
    if (!co_await wait_for_another_try(messages, end, failures, line, *waiting)) co_return std::nullopt;
    waiting->is_tried();
  }
}

// False: the queue would have shown the messages again (`end`) by then, or this is to stop. Others do not receive them
// before the function could be done with them: where it may run for as long as the queue hides them, they would come back,
// received once more, without a second try. With a `place` it is tried as soon as the function has one for it.
Task<bool> QueueDeliveries::wait_for_another_try(std::vector<ReceivedMessage>& messages, base::Time end,
                                                 uint32_t failures, PlaceWait* place, Waiting& waiting) {
  const auto config = run_.config;  // an update may replace it meanwhile
  const auto timeout = (co_await run_.invoker.timeout(config->function_arn)).value_or(std::chrono::seconds(0));
  const base::Time again = run_.clock.now() + backoff(failures);
  if (stopping_) co_return false;
  if (again >= end) {
    if (first_visible(messages) > end) (void)co_await hide_until(messages, end);
    co_return false;
  }
  if (again + timeout > first_visible(messages) && !co_await hide_until(messages, again + timeout)) co_return false;
  if (stopping_) co_return false;
  if (place) {
    co_await place->stand_in_line(run_.invoker, config->function_arn, messages.front().received, waiting.signal());
    if (place->is_in_line()) waiting.stands_in_line();
  }
  (void)co_await run_.clock.wait(waiting.signal(), again);
  co_return !stopping_;
}

// Those that are done with; nothing: none is.
std::optional<std::vector<ReceivedMessage>> QueueDeliveries::succeeded(std::vector<ReceivedMessage> messages,
                                                                   const InvokeOutcome& outcome) const {
  if (outcome.status != InvokeStatus::ok) return std::nullopt;
  if (!run_.config->report_item_failures) return messages;
  const auto reported = reported_failures(outcome.payload);
  if (!reported) return std::nullopt;
  const std::set<std::string_view> failed(reported->begin(), reported->end());
  const size_t count = messages.size();
  std::erase_if(messages, [&](const ReceivedMessage& message) { return failed.contains(message.message_id); });
  // One that is not of this batch makes all of it fail.
  if (messages.size() + failed.size() != count || messages.empty()) return std::nullopt;
  return messages;
}

// ---- what becomes of messages ------------------------------------------------------------------------------------

Task<void> QueueDeliveries::remove(std::vector<ReceivedMessage> messages) {
  // They come back, as on AWS.
  if (run_.rights != nullptr && !co_await run_.rights->may_remove(*run_.config)) {
    base::log_warning("finished messages may not be removed", {{"mapping", run_.config->uuid}});
    co_return;
  }
  const base::Time visible = first_visible(messages);
  std::vector<std::string> receipts = receipts_of(messages);
  messages.clear();
  for (;;) {
    std::string problem;
    try {
      const size_t removed = co_await run_.source.remove(run_.config->event_source_arn, receipts);
      add_events(run_.usage, *run_.config, kDeletedEvents, removed);
      co_return;
    } catch (const store::StoreFailed& error) {
      base::log_error("mapping stops: the store takes no changes",
                      {{"mapping", run_.config->uuid}, {"what", error.what()}});
      store_failed_ = true;
      co_return;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    base::log_error("finished messages cannot be removed", {{"mapping", run_.config->uuid}, {"what", problem}});
    if (run_.clock.now() + kRemovalPause >= visible) co_return;
    co_await run_.clock.pause(base::Signal(), kRemovalPause);
  }
}

Task<void> QueueDeliveries::remove_unwanted(std::vector<ReceivedMessage> messages) {
  const Place place(*this, bytes_of(messages), Place::Kind::removal);
  co_await remove(std::move(messages));
}

// To the second, rather longer. False: that failed.
Task<bool> QueueDeliveries::hide_until(std::vector<ReceivedMessage>& messages, base::Time visible) {
  const base::Time now = run_.clock.now();
  const auto seconds = std::max(std::chrono::ceil<std::chrono::seconds>(visible - now), std::chrono::seconds(0));
  try {
    co_await run_.source.hide(run_.config->event_source_arn, receipts_of(messages), seconds);
  } catch (const std::exception& error) {
    base::log_warning("messages cannot be hidden for longer", {{"mapping", run_.config->uuid}, {"what", error.what()}});
    co_return false;
  }
  for (ReceivedMessage& message : messages) message.visible_again = now + seconds;
  co_return true;
}

Task<void> QueueDeliveries::show(std::vector<ReceivedMessage> messages) {
  ++settling_;
  try {
    co_await run_.source.hide(run_.config->event_source_arn, receipts_of(messages), std::chrono::seconds(0));
  } catch (const std::exception& error) {
    base::log_warning("messages come back only after their visibility timeout",
                      {{"mapping", run_.config->uuid}, {"what", error.what()}});
  }
  --settling_;
  progress_.signal();
}

}  // namespace tidemill::engine

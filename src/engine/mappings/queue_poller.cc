#include "engine/mappings/queue_poller.h"

#include <algorithm>

#include "base/executor.h"
#include "base/log.h"
#include "engine/mappings/mapping_events.h"
#include "engine/mappings/queue_batch.h"

namespace tidemill::engine {

namespace {

// After a defect on the way.
constexpr auto kRecoveryPause = std::chrono::seconds(1);

constexpr size_t kBytesPerStep = 128;  // of a message that is compared with patterns (base::slice_is_over)

// A receive that takes so long has waited for its first message: what the queue held before is done with.
constexpr auto kLull = std::chrono::seconds(1);

// Messages of a group follow each other; those without are of none.
size_t groups_in(const std::vector<ReceivedMessage>& messages) {
  size_t groups = 0;
  std::string_view last;
  for (const ReceivedMessage& message : messages) {
    if (message.group != last) ++groups;
    last = message.group;
  }
  return groups;
}

}  // namespace

QueuePoller::QueuePoller(QueueRun& run) : run_(run), deliveries_(run, progress_) {}

QueuePoller::~QueuePoller() = default;

void QueuePoller::stop() {
  stopping_ = true;
  deliveries_.stop();
  reconsider();
}

void QueuePoller::reconsider() {
  config_changed_ = true;
  progress_.signal();
  queue_made_.signal();
  if (reader_) reader_->interrupt();
}

Task<void> QueuePoller::poll() {
  const std::string arn = run_.config->event_source_arn;
  watch_ = run_.source.watch(arn, [made = queue_made_] { made.signal(); });
  reader_ = run_.source.read(arn);
  while (state_ == State::polling) {
    std::string defect;
    try {
      co_await work();
    } catch (const store::StoreFailed& error) {
      base::log_error("mapping stops: the store takes no changes",
                      {{"mapping", run_.config->uuid}, {"what", error.what()}});
      state_ = State::store_failed;
    } catch (const std::exception& error) {
      defect = error.what();
    }
    if (defect.empty()) continue;
    base::log_error("defect",
                    {{"where", "a queue's mapping"}, {"mapping", run_.config->uuid}, {"what", defect}});
    co_await run_.clock.pause(progress_, kRecoveryPause);
  }
  watch_.reset();
  run_.changed.signal();
}

Task<void> QueuePoller::work() {
  while (!stopping_) {
    if (!co_await wait_for_place()) continue;
    start_ripe();
    if (!has_place()) continue;
    co_await receive();
    start_ripe();
  }
  co_await end();
}

// Gives back what is gathered, and sees out what is under way.
Task<void> QueuePoller::end() {
  if (!gathered_.empty()) deliveries_.give_back(std::exchange(gathered_, {}));
  while (!deliveries_.is_idle()) co_await progress_;
  state_ = deliveries_.store_failed() ? State::store_failed : State::stopped;
}

void QueuePoller::take_config() {
  if (!config_changed_) return;
  filter_.emplace(run_.config->filters);
  config_ = run_.config;
  scaling_.follow(*config_);
  config_changed_ = false;
}

// ---- places -----------------------------------------------------------------------------------------------------

bool QueuePoller::has_place() {
  // While the function takes no more, more messages would only be kept from others.
  if (deliveries_.is_throttled() || deliveries_.in_flight() >= scaling_.allowed()) return false;
  return !run_.held.is_full() || deliveries_.is_idle();
}

// False: something has changed meanwhile.
Task<bool> QueuePoller::wait_for_place() {
  take_config();
  if (deliveries_.store_failed()) throw store::StoreFailed("a removal failed");
  if (deliveries_.in_flight() == 0 && !scaling_.is_saturated()) scaling_.at_rest();
  if (deliveries_.is_throttled()) scaling_.relaxed();
  else if (deliveries_.in_flight() >= scaling_.allowed()) scaling_.saturated(run_.clock.now());
  if (has_place()) co_return true;
  const auto growth = deliveries_.in_flight() >= scaling_.allowed() ? scaling_.next_growth() : std::nullopt;
  if (growth) {
    (void)co_await run_.clock.wait(progress_, *growth);
  } else {
    co_await progress_;
  }
  co_return false;
}

// ---- receiving --------------------------------------------------------------------------------------------------

Task<QueueWish> QueuePoller::wish() {
  const size_t places = scaling_.allowed() - deliveries_.in_flight();
  const auto batch_size = static_cast<size_t>(config_->batch_size);
  const auto window = std::chrono::seconds(config_->batching_window_seconds);
  if (window.count() > 0) {
    function_timeout_ = (co_await run_.invoker.timeout(config_->function_arn)).value_or(std::chrono::seconds(0));
  }
  // What is gathered is less than a batch.
  QueueWish wish{.count_max = std::min(places * batch_size - gathered_.size(), kReceivedAtOnceMax),
                 .groups_max = places,
                 .per_group_max = batch_size,
                 .target_arn = config_->function_arn,
                 .until = window_end()};
  wish.visibility = [window, timeout = function_timeout_](std::chrono::seconds own) {
    return visibility_of(own, window, timeout);
  };
  co_return wish;
}

// False: the function's role may not receive, for now.
Task<bool> QueuePoller::may_receive() {
  if (run_.rights == nullptr || co_await run_.rights->may_read(*config_)) co_return true;
  (void)co_await run_.clock.wait(progress_, run_.clock.now() + MappingRights::kDeniedPause);
  co_return false;
}

Task<void> QueuePoller::receive() {
  if (!co_await may_receive()) co_return;
  QueueWish wanted = co_await wish();
  if (stopping_ || config_changed_) co_return;
  const size_t most = wanted.count_max;
  const size_t groups_most = wanted.groups_max;
  const base::Time asked = run_.clock.now();
  auto messages = co_await reader_->receive(std::move(wanted));
  if (run_.clock.now() - asked >= kLull) {
    scaling_.relaxed();
    if (deliveries_.in_flight() == 0) scaling_.at_rest();
  }
  // As much as was asked for: there is more, probably.
  if (messages && (messages->size() >= most || groups_in(*messages) >= groups_most)) {
    scaling_.saturated(run_.clock.now());
  } else {
    scaling_.relaxed();
  }
  if (!messages) {
    co_await wait_for_queue();
    co_return;
  }
  is_missing_ = false;
  if (messages->empty()) co_return;
  // The right may have gone while this waited for them.
  if (run_.rights != nullptr && !co_await run_.rights->may_read(*config_)) {
    deliveries_.give_back(*std::move(messages));
    co_return;
  }
  add_events(run_.usage, *config_, kPolledEvents, messages->size());
  co_await correct_visibility(*messages);
  co_await sort_in(*std::move(messages));
}

// Until there is a queue of that name again. The mapping is not told: on AWS, too, one of a queue has no result.
Task<void> QueuePoller::wait_for_queue() {
  if (!std::exchange(is_missing_, true)) {
    base::log_warning("a mapping's queue is not there",
                      {{"mapping", run_.config->uuid}, {"queue", run_.config->event_source_arn}});
  }
  if (!stopping_ && !config_changed_) co_await queue_made_;
}

// A function may have been given more time while this waited for the first message.
Task<void> QueuePoller::correct_visibility(std::vector<ReceivedMessage>& messages) {
  const auto window = std::chrono::seconds(config_->batching_window_seconds);
  if (window.count() == 0) co_return;
  const auto timeout = (co_await run_.invoker.timeout(config_->function_arn)).value_or(function_timeout_);
  if (timeout <= function_timeout_) co_return;
  const auto queue = co_await run_.source.describe(config_->event_source_arn);
  if (!queue) co_return;
  std::vector<std::string> receipts;
  for (const ReceivedMessage& message : messages) receipts.push_back(message.receipt);
  const auto visibility = visibility_of(queue->visibility, window, timeout);
  const base::Time visible = run_.clock.now() + visibility;
  co_await run_.source.hide(config_->event_source_arn, std::move(receipts), visibility);
  for (ReceivedMessage& message : messages) message.visible_again = visible;
}

// Megabytes of messages and many patterns take many slices.
Task<void> QueuePoller::sort_in(std::vector<ReceivedMessage> messages) {
  if (!filter_->is_empty()) {
    std::vector<ReceivedMessage> wanted;
    std::vector<ReceivedMessage> unwanted;
    for (ReceivedMessage& message : messages) {
      const size_t steps = 1 + message.event_json.size() / kBytesPerStep;
      (filter_->passes(message.event_json) ? wanted : unwanted).push_back(std::move(message));
      if (base::slice_is_over(steps)) co_await base::give_way();
    }
    add_events(run_.usage, *config_, kFilteredOutEvents, unwanted.size());
    if (!unwanted.empty()) deliveries_.drop(std::move(unwanted));
    messages = std::move(wanted);
  }
  if (!messages.empty() && !messages.front().group.empty()) {
    start_groups(std::move(messages));
    co_return;
  }
  std::ranges::move(messages, std::back_inserter(gathered_));
}

void QueuePoller::start_groups(std::vector<ReceivedMessage> messages) {
  for (auto first = messages.begin(); first != messages.end();) {
    const auto last = std::find_if(first, messages.end(),
                                   [&](const ReceivedMessage& message) { return message.group != first->group; });
    deliveries_.start({std::make_move_iterator(first), std::make_move_iterator(last)});
    first = last;
  }
}

// ---- batches ----------------------------------------------------------------------------------------------------

// Starts the batches that are full or have waited for their window, as far as there are places.
void QueuePoller::start_ripe() {
  while (!gathered_.empty() && has_place()) {
    const QueueCut cut = cut_messages(gathered_, static_cast<size_t>(config_->batch_size));
    if (!cut.full && run_.clock.now() < *window_end()) return;
    const auto end = gathered_.begin() + static_cast<ptrdiff_t>(cut.count);
    std::vector<ReceivedMessage> batch(std::make_move_iterator(gathered_.begin()), std::make_move_iterator(end));
    gathered_.erase(gathered_.begin(), end);
    deliveries_.start(std::move(batch));
  }
}

// The window begins with the batch's first message. Nothing: there is none.
std::optional<base::Time> QueuePoller::window_end() const {
  if (gathered_.empty()) return std::nullopt;
  return gathered_.front().received + std::chrono::seconds(config_->batching_window_seconds);
}

}  // namespace tidemill::engine

#include "engine/queue_runner.h"

#include "base/log.h"

namespace tidemill::engine {

namespace {

constexpr auto kRecoveryPause = std::chrono::seconds(1);

}  // namespace

QueueRunner::QueueRunner(QueueRun run, base::Signal gone) : run_(std::move(run)), gone_(std::move(gone)) {}

QueueRunner::~QueueRunner() { polling_.clear(); }

void QueueRunner::update(const Mapping& mapping) {
  // Against what this has made of it since, not against the last update: that may have come to the same.
  if (encode_mapping(*run_.config) == encode_mapping(mapping)) return;
  run_.config = std::make_shared<const Mapping>(mapping);
  updated_ = true;
  if (poller_) poller_->reconsider();
  run_.changed.signal();
}

Task<void> QueueRunner::run() {
  while (!erased_) {
    std::string defect;
    try {
      co_await follow();
    } catch (const store::StoreFailed& error) {
      base::log_error("mapping stops: the store takes no changes",
                      {{"mapping", run_.config->uuid}, {"what", error.what()}});
      co_return;
    } catch (const std::exception& error) {
      defect = error.what();
    }
    if (defect.empty()) continue;
    base::log_error("defect", {{"where", "a queue's mapping"}, {"mapping", run_.config->uuid}, {"what", defect}});
    co_await run_.clock.wait(run_.changed, run_.clock.now() + kRecoveryPause);
  }
}

// Brings what runs in line with the record, over and over.
Task<void> QueueRunner::follow() {
  for (;;) {
    updated_ = false;
    const MappingState taken_up = state();
    if (wants_polling(taken_up)) {
      if (!poller_) {
        poller_ = std::make_unique<QueuePoller>(run_);
        polling_.spawn(poller_->poll());
      }
      if (taken_up != MappingState::enabled) co_await confirm(taken_up, MappingState::enabled);
    } else {
      co_await stop_polling();
      if (state() == MappingState::deleting) {
        co_await erase_mapping(run_.store, run_.config->uuid);
        erased_ = true;
        gone_.signal();
        co_return;
      }
      if (state() == MappingState::disabling) co_await confirm(MappingState::disabling, MappingState::disabled);
    }
    // stop_polling() may have taken the signal that came with an update.
    if (!updated_) co_await run_.changed;
  }
}

Task<void> QueueRunner::stop_polling() {
  if (!poller_) co_return;
  poller_->stop();
  while (poller_->state() == QueuePoller::State::polling) co_await run_.changed;
  poller_.reset();
}

Task<void> QueueRunner::confirm(MappingState from, MappingState to) {
  const auto stored = co_await confirm_state(run_.store, run_.config->uuid, from, to);
  if (stored && run_.config->state == from) run_.config = std::make_shared<const Mapping>(*stored);
}

}  // namespace tidemill::engine

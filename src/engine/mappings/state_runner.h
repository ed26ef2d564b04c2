// What running a mapping comes to whatever its source is: takes its states up (Creating, Enabling, Updating become Enabled;
// Disabling becomes Disabled; Deleting ends in its erasure), and goes on after a defect. How the source is polled is the
// part of those who derive from this.
#pragma once

#include <memory>

#include "base/log.h"
#include "engine/mappings/running_mapping.h"

namespace tidemill::engine {

// `Run`: MappingRun or QueueRun.
template <class Run>
class StateRunner : public RunningMapping {
 public:
  // `gone` is raised when the mapping has been erased and this may be destroyed. References in `run` outlive this.
  StateRunner(Run run, base::Signal gone) : run_(std::move(run)), gone_(std::move(gone)) {}
  StateRunner(const StateRunner&) = delete;

  Task<void> run() override {
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
      base::log_error("defect", {{"where", "a mapping"}, {"mapping", run_.config->uuid}, {"what", defect}});
      co_await run_.clock.pause(run_.changed, kRecoveryPause);
    }
  }

  void update(const Mapping& mapping) override {
    // Against what this has made of it since, not against the last update: that may have come to the same.
    if (encode_mapping(*run_.config) == encode_mapping(mapping)) return;
    run_.config = std::make_shared<const Mapping>(mapping);
    updated_ = true;
    reconsider();
    run_.changed.signal();
  }

  void vanish() override {
    if (erased_ || state() == MappingState::deleting) return;
    Mapping mapping = *run_.config;
    mapping.state = MappingState::deleting;
    update(mapping);
  }

  [[nodiscard]] bool erased() const override { return erased_; }

 protected:
  // Polls the source, or goes on; called whenever run().changed was raised.
  virtual Task<void> poll() = 0;
  // Returns once nothing is polled. May wait, by run().changed, for the invocations under way.
  virtual Task<void> stop() = 0;
  // The configuration is another.
  virtual void reconsider() = 0;

  [[nodiscard]] MappingState state() const { return run_.config->state; }

  Run run_;

 private:
  static constexpr auto kRecoveryPause = std::chrono::seconds(1);

  // Brings what runs in line with the record, over and over.
  Task<void> follow() {
    for (;;) {
      updated_ = false;
      const MappingState taken_up = state();
      if (wants_polling(taken_up)) {
        others_.reset();
        co_await poll();
        if (taken_up != MappingState::enabled) co_await confirm(taken_up, MappingState::enabled);
      } else {
        if (!others_) others_ = run_.ownership.watch([changed = run_.changed] { changed.signal(); });
        co_await stop();
        if (state() == MappingState::deleting) {
          if (co_await erase_mapping(run_.store, run_.ownership, run_.config->uuid)) {
            erased_ = true;
            gone_.signal();
            co_return;
          }
        }
        if (state() == MappingState::disabling) co_await confirm(MappingState::disabling, MappingState::disabled);
      }
      // stop() may have taken the signal that came with an update.
      if (!updated_) co_await run_.changed;
    }
  }

  Task<void> confirm(MappingState from, MappingState to) {
    const auto before = run_.config;
    const auto stored = co_await confirm_state(run_.store, run_.ownership, run_.config->uuid, from, to);
    if (!stored || run_.config->state != from) co_return;
    Mapping known = *run_.config;
    known.state = to;
    const bool is_another = encode_mapping(known) != encode_mapping(*stored);
    if (is_another && run_.config != before) co_return;  // what update() has brought meanwhile is newer, or comes yet
    run_.config = std::make_shared<const Mapping>(*stored);
    if (!is_another) co_return;
    // An update that update() has not brought yet, and does not bring any more: it would be what there is already.
    updated_ = true;
    reconsider();
  }

  base::Signal gone_;
  std::optional<store::Subscription> others_;  // while this rests, or is to: what other processes let go of
  bool erased_ = false;
  bool updated_ = false;  // the record changed while follow() was at work
};

}  // namespace tidemill::engine

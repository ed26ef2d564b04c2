// Answers that go on as events (application/vnd.amazon.eventstream): the members of @streaming unions in outputs. A
// handler gives a generator of events and ends; the events follow as the generator yields them, until it ends or the
// client leaves, which destroys the generator where it waits. A wire::Error that it throws becomes an exception event and
// the end.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/generator.h"
#include "base/task.h"

namespace tidemill::wire {

// A handle on the events. Copies share one position.
template <class Event>
class EventStream {
 public:
  EventStream() = default;  // ends at once
  EventStream(Generator<Event> events)  // NOLINT: stands for itself
      : events_(std::make_shared<Generator<Event>>(std::move(events))) {}

  // The next event; nothing at the end. Throws what the generator throws. One call at a time.
  Task<std::optional<Event>> next() const {
    const auto events = events_;
    if (!events) co_return std::nullopt;
    co_return co_await events->next();
  }

 private:
  std::shared_ptr<Generator<Event>> events_;
};

}  // namespace tidemill::wire

#include "services/logs/live_tails.h"

#include <algorithm>

#include "base/executor.h"

namespace tidemill::logs {

std::shared_ptr<LiveTails::Session> LiveTails::open(Place place, Filter filter) {
  const std::lock_guard lock(mutex_);
  forget_ended();
  const auto is_there = [&](const auto& weak) {
    const auto session = weak.lock();
    return session && session->place_ == place;
  };
  if (static_cast<size_t>(std::ranges::count_if(sessions_, is_there)) >= kSessionsMax) return nullptr;
  auto session = std::make_shared<Session>(std::move(place), std::move(filter));
  sessions_.push_back(session);
  count_ = sessions_.size();
  return session;
}

void LiveTails::forget_ended() {
  std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
  count_ = sessions_.size();
}

std::vector<std::shared_ptr<LiveTails::Session>> LiveTails::open_sessions() {
  std::vector<std::shared_ptr<Session>> open;
  const std::lock_guard lock(mutex_);
  forget_ended();
  for (const auto& weak : sessions_) {
    if (auto session = weak.lock()) open.push_back(std::move(session));
  }
  return open;
}

Task<void> LiveTails::publish(LogGroupPtr group, const std::string& stream,
                              std::span<const wire::logs::InputLogEvent> events, Milliseconds ingested) {
  if (count_.load(std::memory_order_acquire) == 0 || events.empty()) co_return;
  const auto sessions = open_sessions();
  for (const auto& session : sessions) {
    if (!session->wants(*group, stream)) continue;
    std::vector<bool> matching;
    for (const wire::logs::InputLogEvent& event : events) {
      matching.push_back(co_await matching_.matches(session->filter_.pattern, event.message));
      const size_t steps = PatternMatching::slice_steps(session->filter_.pattern, event.message);
      if (base::slice_is_over(1 + steps)) co_await base::give_way();
    }
    session->offer(*group, stream, events, matching, ingested);
  }
}

bool LiveTails::Session::wants(const LogGroup& group, const std::string& stream) const {
  if (!filter_.group_ids.contains(group.id)) return false;
  if (filter_.stream_names.empty() && filter_.stream_prefixes.empty()) return true;
  return std::ranges::find(filter_.stream_names, stream) != filter_.stream_names.end() ||
         std::ranges::any_of(filter_.stream_prefixes, [&](const auto& prefix) { return stream.starts_with(prefix); });
}

void LiveTails::Session::offer(const LogGroup& group, const std::string& stream,
                               std::span<const wire::logs::InputLogEvent> events, const std::vector<bool>& matching,
                               Milliseconds ingested) {
  bool is_any = false;
  {
    const std::lock_guard lock(mutex_);
    constexpr Milliseconds kSecond = 1'000;
    if (ingested / kSecond != second_) {
      second_ = ingested / kSecond;
      shown_in_second_ = 0;
    }
    for (size_t i = 0; i < events.size(); ++i) {
      const wire::logs::InputLogEvent& event = events[i];
      if (!matching[i]) continue;
      is_any = true;
      // A client that is slow to take them gets no more than of one second.
      if (shown_in_second_ == kEventsPerSecondMax || pending_.events.size() == kEventsPerSecondMax ||
          pending_bytes_ + event.message.size() > kPendingBytesMax) {
        pending_.is_sampled = true;
        break;
      }
      ++shown_in_second_;
      pending_bytes_ += event.message.size();
      pending_.events.push_back({.log_stream_name = stream,
                                 .log_group_identifier = group.address.account + ":" + group.address.name,
                                 .message = event.message,
                                 .timestamp = event.timestamp,
                                 .ingestion_time = ingested});
    }
  }
  if (is_any) signal_.signal();
}

LiveTails::Taken LiveTails::Session::take() {
  const std::lock_guard lock(mutex_);
  pending_bytes_ = 0;
  return std::exchange(pending_, Taken{});
}

}  // namespace tidemill::logs

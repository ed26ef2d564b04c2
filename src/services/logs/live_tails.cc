#include "services/logs/live_tails.h"

#include <algorithm>

namespace tidemill::logs {

std::shared_ptr<LiveTails::Session> LiveTails::open(Filter filter) {
  auto session = std::make_shared<Session>(std::move(filter));
  const std::lock_guard lock(mutex_);
  sessions_.push_back(session);
  count_ = sessions_.size();
  return session;
}

std::vector<std::shared_ptr<LiveTails::Session>> LiveTails::open_sessions() {
  std::vector<std::shared_ptr<Session>> open;
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
  count_ = sessions_.size();
  for (const auto& weak : sessions_) {
    if (auto session = weak.lock()) open.push_back(std::move(session));
  }
  return open;
}

Task<void> LiveTails::publish(LogGroupPtr group, const std::string& stream,
                              std::span<const wire::logs::InputLogEvent> events, Milliseconds ingested) {
  if (count_.load(std::memory_order_acquire) == 0 || events.empty()) co_return;
  for (const auto& session : open_sessions()) {
    if (!session->wants(*group, stream)) continue;
    std::vector<bool> matching;
    for (const wire::logs::InputLogEvent& event : events) {
      matching.push_back(co_await matching_.matches(session->filter_.pattern, event.message));
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
      if (shown_in_second_ == kEventsPerSecondMax || pending_.events.size() == kEventsPerSecondMax) {
        pending_.is_sampled = true;
        break;
      }
      ++shown_in_second_;
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
  return std::exchange(pending_, Taken{});
}

}  // namespace tidemill::logs

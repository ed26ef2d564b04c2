// Shows events as they are written, for up to three hours.
#include "base/uuid.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/live_tails.h"
#include "services/logs/operations.h"
#include "services/logs/patterns.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kSessionMax = 3h;

base::Generator<shapes::StartLiveTailResponseStream> follow(std::shared_ptr<LiveTails::Session> session,
                                                            shapes::LiveTailSessionStart start, base::Clock& clock) {
  const base::Time end = clock.now() + kSessionMax;
  co_yield shapes::StartLiveTailResponseStream{.session_start = std::move(start)};
  while (true) {
    LiveTails::Taken taken = session->take();
    if (taken.events.empty() && !taken.is_sampled) {
      // Whoever follows is no reason to hurry time along.
      if (!co_await clock.wait(session->signal(), end, base::Purpose::housekeeping)) break;
      continue;
    }
    shapes::LiveTailSessionUpdate update;
    update.session_metadata = shapes::LiveTailSessionMetadata{.sampled = taken.is_sampled};
    update.session_results = std::move(taken.events);
    co_yield shapes::StartLiveTailResponseStream{.session_update = std::move(update)};
  }
  throw errors::session_timeout_exception("The session has ended after three hours.");
}

}  // namespace

Task<shapes::StartLiveTailOutput> start_live_tail(Service& service, wire::Context& context,
                                                  const shapes::StartLiveTailInput& request) {
  if (request.log_stream_names && request.log_stream_name_prefixes) {
    throw errors::invalid_parameter_exception("LogStreamNames and LogStreamNamePrefixes cannot be specified together.");
  }
  LiveTails::Filter filter{.stream_names = request.log_stream_names.value_or(std::vector<std::string>{}),
                           .stream_prefixes = request.log_stream_name_prefixes.value_or(std::vector<std::string>{}),
                           .pattern = parse_pattern(request.log_event_filter_pattern.value_or(""))};
  if (request.log_group_identifiers.size() > 1 && !(filter.stream_names.empty() && filter.stream_prefixes.empty())) {
    throw errors::invalid_parameter_exception("Log streams can only be chosen of a single log group.");
  }
  const auto snapshot = service.store().snapshot();
  for (const std::string& arn : request.log_group_identifiers) {
    const LogGroupPtr group = co_await service.groups().get(*snapshot, group_of_arn(context, arn));
    filter.group_ids.insert(group->id);
  }
  shapes::LiveTailSessionStart start;
  start.request_id = context.request_id;
  start.session_id = base::new_uuid();
  start.log_group_identifiers = request.log_group_identifiers;
  start.log_stream_names = filter.stream_names;
  start.log_stream_name_prefixes = filter.stream_prefixes;
  start.log_event_filter_pattern = request.log_event_filter_pattern.value_or("");
  // Open before the answer begins: what is written after that is seen.
  auto session = service.live_tails().open({context.account, context.region}, std::move(filter));
  if (!session) throw errors::limit_exceeded_exception("Resource limit exceeded.");
  shapes::StartLiveTailOutput out;
  out.response_stream = follow(std::move(session), std::move(start), service.clock());
  co_return out;
}

}  // namespace tidemill::logs

#include "services/scheduler/invocation.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "engine/targets/internal_call.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/senders.h"
#include "services/scheduler/group.h"

namespace tidemill::scheduler {
namespace {

using namespace std::chrono_literals;

// AWS only says "exponential back-off", for up to a day and 185 attempts. This one doubles from a second, and with all
// attempts lasts a day.
constexpr base::Duration kBackOffFirst = 1s;
constexpr base::Duration kBackOffMax = 512s;

std::vector<base::Duration> back_off() {
  std::vector<base::Duration> delays;
  for (base::Duration delay = kBackOffFirst; delay <= kBackOffMax; delay *= 2) delays.push_back(delay);
  return delays;
}

// What a machine says to a run that is sent again, if the execution has ended since.
constexpr std::string_view kExistsAlready = "ExecutionAlreadyExists";

struct Invocation {
  Execution execution;
  Target target;
};

constexpr auto kInvocationMembers = [](auto& member, auto& invocation) {
  member("schedule", invocation.execution.schedule_arn);
  member("account", invocation.execution.account);
  member("region", invocation.execution.region);
  member("execution", invocation.execution.id);
  member("scheduled_us", invocation.execution.scheduled);
  member.part("target", "run of a schedule", invocation.target, kTargetMembers);
};

Invocation decode(const store::Delivery& delivery) {
  auto invocation = json::decode<Invocation>("run of a schedule", delivery.payload, kInvocationMembers);
  invocation.execution.attempt = delivery.attempts + 1;
  return invocation;
}

std::string input_of(const Invocation& invocation) {
  if (!invocation.target.input) return default_notification(invocation.execution);
  return with_attributes(*invocation.target.input, invocation.execution);
}

// A machine's execution has the name of the run, so that a run which is sent again begins no second one.
void name_execution(Call& call, const Invocation& invocation) {
  if (invocation.target.is_universal() || call.operation.service != "states") return;
  call.document.object().set("Name", invocation.execution.id);
}

wire::Standing standing_of(const Invocation& invocation) {
  return {.role_arn = invocation.target.role,
          .session_name = "Scheduler",
          .service = "scheduler.amazonaws.com",
          .source_arn = group_arn_of_schedule(invocation.execution.schedule_arn)};
}

wire::Context context_of(wire::Platform& platform, const Invocation& invocation) {
  auto as_role = wire::Principal::role(standing_of(invocation));
  if (!invocation.target.is_universal()) {
    return engine::internal_context(platform, invocation.target.arn, std::move(as_role));
  }
  return {platform, invocation.execution.account, invocation.execution.region, base::new_uuid(), std::move(as_role)};
}

Task<store::SendOutcome> send(wire::Platform& platform, const store::Delivery& delivery) {
  const Invocation invocation = decode(delivery);
  wire::Context context = context_of(platform, invocation);
  std::optional<Call> call;
  try {
    call = call_of(invocation.target, input_of(invocation));
  } catch (const wire::Error& error) {
    co_return engine::outcome_of(error);
  }
  name_execution(*call, invocation);
  store::SendOutcome outcome =
      co_await engine::call_by_name(std::move(context), std::move(call->operation), std::move(call->document));
  if (!invocation.target.is_universal() && outcome.error.starts_with(kExistsAlready)) co_return store::SendOutcome{};
  co_return outcome;
}

// What the dead-letter queue gets: what the target did not, and why ("Configuring a dead-letter queue" in the user
// guide).
std::string dead_letter(const store::Delivery& delivery, store::GiveUpReason reason) {
  const Invocation invocation = decode(delivery);
  engine::QueueMessage message{.body = input_of(invocation)};
  const auto tell = [&](std::string name, std::string value) {
    if (!value.empty()) message.attributes.push_back({std::move(name), "String", std::move(value)});
  };
  const std::string_view error = delivery.last_error;
  const size_t colon = error.find(": ");
  tell("ERROR_CODE", std::string(error.substr(0, colon)));
  tell("ERROR_MESSAGE", colon == std::string_view::npos ? "" : std::string(error.substr(colon + 2)));
  tell("EXECUTION_ID", invocation.execution.id);
  if (reason == store::GiveUpReason::attempts_exhausted) tell("EXHAUSTED_RETRY_CONDITION", "MaximumRetryAttempts");
  if (reason == store::GiveUpReason::age_exceeded) tell("EXHAUSTED_RETRY_CONDITION", "MaximumEventAgeInSeconds");
  tell("IS_PAYLOAD_TRUNCATED", "false");
  tell("RETRY_ATTEMPTS", std::to_string(std::max(0, delivery.attempts - 1)));
  tell("SCHEDULED_TIME", scheduled_text(invocation.execution.scheduled));
  tell("SCHEDULE_ARN", invocation.execution.schedule_arn);
  tell("TARGET_ARN", invocation.target.arn);
  // What is on its way from an earlier version goes the way that it names.
  if (delivery.dead_letter_kind == engine::kQueueMessageTarget) return engine::encode_queue_message(message);
  return engine::encode_queue_letter({standing_of(invocation), std::move(message)});
}

// Calls that take long are in the way of no other account's.
std::string caller_of(const store::Delivery& delivery) {
  const Execution execution = decode(delivery).execution;
  return base::cat(execution.account, "/", execution.region, "/", delivery.target);
}

// The same for each attempt at the run, also after a crash. The form of a UUID of version 8.
std::string execution_id(const store::Timer& timer, base::Time scheduled) {
  const std::string run = base::cat(timer.id, "/", timer.set_at.value, "/", scheduled.time_since_epoch().count());
  std::string hex = base::hex_of(crypto::sha256(run)).substr(0, 32);
  hex[12] = '8';
  hex[16] = 'a';
  for (const size_t at : {20, 16, 12, 8}) hex.insert(at, "-");
  return hex;
}

}  // namespace

store::Delivery delivery_of(const Schedule& schedule, base::Time scheduled, base::Duration late,
                            const store::Timer& timer) {
  const Invocation invocation{.execution = {.schedule_arn = schedule.address.arn(),
                                            .account = schedule.address.account,
                                            .region = schedule.address.region,
                                            .id = execution_id(timer, scheduled),
                                            .scheduled = scheduled},
                              .target = schedule.target};
  const bool waits = schedule.target.is_universal() && engine::may_wait(schedule.target.arn);
  store::Delivery delivery{.id = "schedule/" + invocation.execution.id,
                           .target_kind = std::string(waits ? kWaitingKind : kKind),
                           .target = schedule.target.arn,
                           .payload = json::encode(invocation, kInvocationMembers)};
  delivery.policy = {.delays = back_off(),
                     .attempts_max = static_cast<int>(schedule.target.retries) + 1,
                     .age_max = schedule.target.age_max - late};
  if (!schedule.target.dead_letter.empty()) {
    delivery.dead_letter_kind = engine::kQueueLetterTarget;
    delivery.dead_letter_target = schedule.target.dead_letter;
  }
  return delivery;
}

Task<store::SendOutcome> send_run(wire::Platform& platform, store::Store& store, const store::Delivery& delivery) {
  wire::Platform with_store{store,          platform.clock,     platform.metrics, platform.registry,
                            platform.usage, platform.authorizer};
  co_return co_await send(with_store, delivery);
}

void add_senders(engine::Deliveries& deliveries, wire::Platform& platform) {
  const auto sender = [&platform](const store::Delivery& delivery) { return send(platform, delivery); };
  deliveries.send_with(kKind, sender, dead_letter, {}, {.concurrent_max = kConcurrentRunsMax});
  deliveries.send_with(kWaitingKind, sender, dead_letter, {},
                       {.targets = engine::Targets::may_hang, .lane_of = caller_of});
}

}  // namespace tidemill::scheduler

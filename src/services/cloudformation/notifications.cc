#include "services/cloudformation/notifications.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/role.h"
#include "store/timer.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/registry.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr size_t kEventsAtOnce = 20;
constexpr int kServerFault = 500;  // what is not the topic's own fault is tried again

// One line for each member, as on AWS.
std::string message_of(const StackId& stack, const Event& event) {
  const auto line = [](std::string_view name, std::string_view value) { return cat(name, "='", value, "'\n"); };
  return cat(line("StackId", stack.arn()), line("Timestamp", cat(base::iso_milliseconds(event.time), "Z")),
             line("EventId", event.id), line("LogicalResourceId", event.logical_id),
             line("Namespace", stack.place.account), line("PhysicalResourceId", event.physical_id),
             line("ResourceProperties", event.properties.value_or("null")), line("ResourceStatus", event.status),
             line("ResourceStatusReason", event.reason), line("ResourceType", event.type),
             line("StackName", stack.name), line("ClientRequestToken", event.token.empty() ? "null" : event.token));
}

// The topics that are told: none, once who asked for the stack's operation may be nobody any more.
Task<std::vector<std::string>> topics_of(wire::Context& context, Acting& acting, const Stack& stack) {
  try {
    context.principal = co_await acting.principal(context.platform(), stack);
  } catch (const StepFailed& failure) {
    base::log_warning("no topic was told of a stack's events", {{"stack", stack.id.arn()}, {"reason", failure.what()}});
    co_return std::vector<std::string>();
  }
  co_return stack.settings().notification_arns;
}

// Of a topic that is not there, or refuses it, nothing more can be asked.
Task<void> publish(wire::Context& context, std::string topic, std::string message) {
  try {
    (void)co_await context.registry().call(context, "sns", "Publish",
                                           json::Object{{"TopicArn", topic},
                                                        {"Subject", "AWS CloudFormation Notification"},
                                                        {"Message", std::move(message)}});
  } catch (const wire::Error& error) {
    if (error.http_status >= kServerFault) throw;
    base::log_warning("a topic was not told of a stack's event", {{"topic", topic}, {"code", error.code}});
  }
}

}  // namespace

void Notifications::register_with(engine::TimerService& timers) {
  timers.handle(store::TimerKind{kNotifyTimer}, [this](const store::Timer& timer) { return run(timer); });
}

// An event that comes in meanwhile sets the timer anew.
Task<void> Notifications::run(const store::Timer& timer) {
  const auto id = parse_stack_arn(timer.id);
  if (!id) throw std::runtime_error(cat("the timer of a stack is damaged: ", timer.id));
  wire::Context context(platform_, id->place.account, id->place.region, base::new_uuid(), wire::Principal::platform());
  const std::string cursor_key = notified_key(id->place, id->uuid);
  Acting acting;
  for (;;) {
    const auto snapshot = platform_.store.snapshot();
    const auto stack = co_await load_stack(*snapshot, id->place, id->uuid);
    if (!stack) co_return;
    store::Range range = events_range(id->place, id->uuid);
    if (const auto told = co_await snapshot->get(cursor_key)) range.begin = *told + '\0';
    std::vector<std::pair<std::string, Event>> events;
    co_await snapshot->scan(range, store::first(kEventsAtOnce), [&](std::string_view key, std::string_view bytes) {
      events.emplace_back(key, decode_event(bytes));
      return true;
    });
    if (events.empty()) co_return;
    const auto topics = co_await topics_of(context, acting, *stack);
    for (const auto& [key, event] : events) {
      for (const std::string& topic : topics) {
        co_await publish(context, topic, message_of(*id, event));
      }
    }
    co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
      if (co_await txn.get(stack->key())) txn.put(cursor_key, events.back().first);
    });
  }
}

Task<void> notify_of_events(store::Transaction& txn, const Stack& stack, base::Time now) {
  if (stack.settings().notification_arns.empty()) co_return;
  co_await store::set_timer(txn, {std::string(kNotifyTimer), stack.id.arn(), now, ""});
}

Task<void> begin_notifying(store::Transaction& txn, const Stack& stack, const Settings& settings) {
  if (settings.notification_arns.empty() || !stack.settings().notification_arns.empty()) co_return;
  std::string newest;
  co_await txn.scan(events_range(stack.place(), stack.id.uuid), store::last(1),
                    [&](std::string_view key, std::string_view) {
                      newest = key;
                      return false;
                    });
  if (!newest.empty()) txn.put(notified_key(stack.place(), stack.id.uuid), newest);
}

void check_notification_arns(const std::vector<std::string>& arns) {
  for (const std::string& text : arns) {
    const auto arn = wire::parse_arn_of("sns", text);
    if (arn && !arn->resource.empty() && arn->resource.find(':') == std::string_view::npos) continue;
    throw wire::cloudformation::errors::validation_error(cat("Invalid NotificationARNs: ", text, " is no ARN of a topic."));
  }
}

}  // namespace tidemill::cloudformation

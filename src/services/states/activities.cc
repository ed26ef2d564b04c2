// CreateActivity, DescribeActivity, DeleteActivity, ListActivities and GetActivityTask.
#include <utility>

#include "services/states/activity.h"
#include "services/states/definition.h"
#include "services/states/errors.h"
#include "services/states/listing.h"
#include "services/states/operations.h"
#include "services/states/tags.h"

namespace tidemill::states {

Task<shapes::CreateActivityOutput> create_activity(Service& service, wire::Context& context,
                                                   const shapes::CreateActivityInput& request) {
  check_name(request.name);
  check_encryption(request.encryption_configuration);
  const ActivityRef ref{context.account, context.region, request.name};
  const std::string key = activity_key(ref);
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::CreateActivityOutput> {
    Activity activity{ref.account, ref.region, ref.name, context.now(), {}};
    if (const auto existing = co_await txn.get(key)) {
      activity = decode_activity(key, *existing);
    } else {
      if (request.tags) activity.tags = with_tags({}, *request.tags);
      txn.put(key, encode_activity(activity));
    }
    co_return shapes::CreateActivityOutput{.activity_arn = ref.arn(), .creation_date = activity.created};
  });
}

Task<shapes::DescribeActivityOutput> describe_activity(Service& service, wire::Context&,
                                                       const shapes::DescribeActivityInput& request) {
  const ActivityRef ref = parse_activity_arn(request.activity_arn);
  const Activity activity = co_await load_activity(*service.store().snapshot(), ref);
  co_return shapes::DescribeActivityOutput{
      .activity_arn = ref.arn(), .name = activity.name, .creation_date = activity.created};
}

Task<shapes::DeleteActivityOutput> delete_activity(Service& service, wire::Context&,
                                                   const shapes::DeleteActivityInput& request) {
  const ActivityRef ref = parse_activity_arn(request.activity_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    txn.erase(activity_key(ref));
    forget_offers(txn, ref.arn());
    co_return;
  });
  co_return shapes::DeleteActivityOutput{};
}

Task<shapes::ListActivitiesOutput> list_activities(Service& service, wire::Context& context,
                                                   const shapes::ListActivitiesInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListActivitiesOutput out;
  out.next_token = co_await read_page(
      *snapshot, activities_range(context.account, context.region), request.next_token,
      page_size(request.max_results), store::Direction::forward, [&](std::string_view key, std::string_view value) {
        const Activity activity = decode_activity(key, value);
        out.activities.push_back(
            {.activity_arn = activity.arn(), .name = activity.name, .creation_date = activity.created});
        return true;
      });
  co_return out;
}

namespace {

Task<std::optional<Running::ActivityTask>> take_one(Service& service, std::string arn,
                                                    std::optional<std::string> worker) {
  co_return co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<std::optional<Running::ActivityTask>> {
        for (;;) {
          const auto offered = co_await first_offered(txn, arn);
          if (!offered) co_return std::nullopt;
          take_offered(txn, arn, *offered);
          auto taken = co_await service.running().take_activity(txn, offered->task, worker);
          if (taken) co_return taken;
        }
      });
}

}  // namespace

Task<shapes::GetActivityTaskOutput> get_activity_task(Service& service, wire::Context& context,
                                                      const shapes::GetActivityTaskInput& request) {
  const ActivityRef ref = parse_activity_arn(request.activity_arn);
  (void)co_await load_activity(*service.store().snapshot(), ref);
  const base::Signal wake;
  const ActivityPolls::Poll poll(service.polls(), ref.arn(), wake);
  const base::Time until = context.now() + kActivityPollMax;
  store::Subscription subscription;
  for (bool has_looked = false;;) {
    if (poll.is_first()) {
      if (!has_looked) {
        subscription = service.store().subscribe(activity_topic(ref.arn()), [wake] { wake.signal(); });
      }
      if (auto task = co_await take_one(service, ref.arn(), request.worker_name)) {
        co_return shapes::GetActivityTaskOutput{.task_token = std::move(task->token), .input = std::move(task->input)};
      }
      if (!std::exchange(has_looked, true)) {
        co_await pass_withdrawn(service.store(), ref.arn(), context.clock().now());
      }
    }
    if (poll.is_over() || !co_await context.clock().wait(wake, until)) co_return shapes::GetActivityTaskOutput{};
  }
}

}  // namespace tidemill::states

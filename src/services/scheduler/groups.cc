// CreateScheduleGroup, GetScheduleGroup, DeleteScheduleGroup and ListScheduleGroups.
#include "base/text.h"
#include "services/scheduler/deleted_groups.h"
#include "services/scheduler/errors.h"
#include "services/scheduler/group.h"
#include "services/scheduler/listing.h"
#include "services/scheduler/operations.h"
#include "services/scheduler/tags.h"

namespace tidemill::scheduler {
namespace {

using base::cat;

std::string state_of(const Group& group) {
  return std::string(group.deleting ? shapes::ScheduleGroupState::kDeleting : shapes::ScheduleGroupState::kActive);
}

template <class Output>
Output description_of(const Group& group) {
  Output out;
  out.arn = group.address.arn();
  out.name = group.address.name;
  out.state = state_of(group);
  out.creation_date = group.created;
  out.last_modification_date = group.modified;
  return out;
}

// Every region of an account has it, and keeps it.
void check_not_default(std::string_view name) {
  if (name == kDefaultGroup) throw invalid("This operation cannot be performed on schedule group default.");
}

}  // namespace

Task<shapes::CreateScheduleGroupOutput> create_schedule_group(Service& service, wire::Context& context,
                                                              const shapes::CreateScheduleGroupInput& request) {
  check_not_default(request.name);
  Group group{.address = {context.account, context.region, request.name},
              .created = context.now(),
              .modified = context.now(),
              .tags = with_tags({}, request.tags.value_or(std::vector<shapes::Tag>{})),
              .token = request.client_token.value_or("")};
  group.tags_at_first = group.tags;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const auto existing = co_await find_group(txn, group.address)) {
      const bool is_same = existing->token == group.token && existing->tags_at_first.value_or(group.tags) == group.tags;
      if (!group.token.empty() && is_same) co_return;  // the same client's request once more
      throw errors::conflict_exception(cat("Schedule group ", request.name, " already exists."));
    }
    txn.put(group_key(group.address), encode_group(group));
  });
  co_return shapes::CreateScheduleGroupOutput{.schedule_group_arn = group.address.arn()};
}

Task<shapes::GetScheduleGroupOutput> get_schedule_group(Service& service, wire::Context& context,
                                                        const shapes::GetScheduleGroupInput& request) {
  const auto snapshot = service.store().snapshot();
  const Group group = co_await load_group(*snapshot, {context.account, context.region, request.name});
  co_return description_of<shapes::GetScheduleGroupOutput>(group);
}

Task<shapes::DeleteScheduleGroupOutput> delete_schedule_group(Service& service, wire::Context& context,
                                                              const shapes::DeleteScheduleGroupInput& request) {
  check_not_default(request.name);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Group group = co_await load_group(txn, {context.account, context.region, request.name});
    if (group.deleting) co_return;
    group.deleting = true;
    group.modified = now;
    txn.put(group_key(group.address), encode_group(group));
    co_await erase_group_soon(txn, group.address, now);
  });
  co_return shapes::DeleteScheduleGroupOutput{};
}

Task<shapes::ListScheduleGroupsOutput> list_schedule_groups(Service& service, wire::Context& context,
                                                            const shapes::ListScheduleGroupsInput& request) {
  const auto wanted = [&](std::string_view name) {
    return !request.name_prefix || name.starts_with(*request.name_prefix);
  };
  const auto snapshot = service.store().snapshot();
  shapes::ListScheduleGroupsOutput out;
  // The default group comes first, record or not, and on the first page only.
  if (!request.next_token && wanted(kDefaultGroup)) {
    const Group group = co_await load_group(*snapshot, {context.account, context.region, std::string(kDefaultGroup)});
    out.schedule_groups.push_back(description_of<shapes::ScheduleGroupSummary>(group));
  }
  std::optional<int32_t> rest =
      request.max_results.value_or(kPageMax) - static_cast<int32_t>(out.schedule_groups.size());
  out.next_token = co_await read_page(*snapshot, groups_range(context.account, context.region), request.next_token,
                                      rest, [&](std::string_view key, std::string_view value) {
                                        auto address = group_of_key(key);
                                        if (!address || address->name == kDefaultGroup || !wanted(address->name))
                                          return false;
                                        out.schedule_groups.push_back(description_of<shapes::ScheduleGroupSummary>(
                                            decode_group(*std::move(address), value)));
                                        return true;
                                      });
  co_return out;
}

}  // namespace tidemill::scheduler

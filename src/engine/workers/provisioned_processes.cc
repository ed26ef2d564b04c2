// Processes of versions that have provisioned concurrency.
#include "engine/workers/worker_pool.h"

#include <algorithm>
#include <utility>

namespace tidemill::engine {
namespace {

// Provisioned processes that end before they have a call, before no more are started.
constexpr int kBarrenEndsMax = 3;

}  // namespace

void Workers::Impl::provision(const std::string& arn, const std::vector<Provision>& versions, uint64_t edition) {
  uint64_t& last = provision_editions[arn];
  if (edition < last) return;
  last = edition;
  for (auto& [key, group] : groups) {
    const bool is_meant =
        std::ranges::any_of(versions, [&](const Provision& each) { return key_of(*each.spec) == key; });
    if (group->spec->arn == arn && !is_meant && group->provisioned > 0) keep(group, 0);
  }
  for (const Provision& each : versions) keep(group_for(each.spec), static_cast<size_t>(each.count));
}

void Workers::Impl::keep(const std::shared_ptr<Group>& group, size_t count) {
  group->provisioned = count;
  group->keeps_none = false;
  group->barren_ends = 0;
  for (auto& [worker, member] : members) {
    if (group->kept <= count) break;
    if (member.group == group && member.is_provisioned) give_up(member);
  }
  keep_processes(group);
}

void Workers::Impl::give_up(Member& member) {
  member.is_provisioned = false;
  --member.group->kept;
  if (std::exchange(member.is_ready, false)) --member.group->kept_ready;
}

void Workers::Impl::keep_processes(const std::shared_ptr<Group>& group) {
  while (!group->retired && !group->keeps_none && !keeps_later && group->kept < group->provisioned &&
         starting < starts_max && group->starting < starts_of_one_max) {
    if (members.size() >= options.workers_max) {
      (void)end_longest_idle_of_all();
      break;  // start_more() follows the end of any
    }
    const auto launch = launch_of(*group->spec);
    if (launch) start_worker(group, *launch, 1, true);
    else if (launch.error().status == InvokeStatus::throttled) keep_later();
    else group->keeps_none = true;
  }
  tell_provisioned(*group);
}

void Workers::Impl::keep_later() {
  if (std::exchange(keeps_later, true)) return;
  keep_alarm = loop.call_after(kNoRoomPause, [this] {
    keeps_later = false;
    start_more();
  });
}

void Workers::Impl::tell_provisioned(const Group& group) {
  const std::string key = key_of(*group.spec);
  const auto current = groups.find(key);
  if (current == groups.end() || current->second.get() != &group) return;  // of a revision that is no more
  const std::lock_guard lock(provisioned_mutex);
  if (group.provisioned == 0 || group.retired) {
    provisioned_now.erase(key);
    return;
  }
  provisioned_now[key] = {static_cast<int>(group.provisioned), static_cast<int>(group.kept_ready), group.keeps_none};
}

void Workers::Impl::lose(Member& member) {
  if (!member.is_provisioned) return;
  const std::shared_ptr<Group> group = member.group;
  const bool is_barren = member.is_barren && member.is_ready;
  give_up(member);
  group->barren_ends = is_barren ? group->barren_ends + 1 : 0;
  if (group->barren_ends >= kBarrenEndsMax) group->keeps_none = true;
  keep_processes(group);
}

}  // namespace tidemill::engine

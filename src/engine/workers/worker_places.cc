// How many calls may run at the same time, and whose turn it is.
#include "engine/workers/worker_pool.h"

#include <algorithm>
#include <utility>

namespace tidemill::engine {

bool Workers::Impl::admit(WorkerCall& call) {
  const FunctionSpec& spec = *call.spec;
  if (free_places(spec) <= 0) return false;
  call.is_reserved = spec.reserved_concurrency.has_value();
  call.is_provisioned = free_provisioned(spec) > 0;
  if (call.is_provisioned) {
    ++in_provisioned[key_of(spec)];
  } else {
    ++of_function[spec.arn];
    if (!call.is_reserved) ++unreserved[place_of(spec)];
  }
  under_way.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Workers::Impl::release(const WorkerCall& call) {
  under_way.fetch_sub(1, std::memory_order_relaxed);
  const FunctionSpec& spec = *call.spec;
  const auto count_out = [](auto& counts, const std::string& key) {
    if (const auto count = counts.find(key); --count->second == 0) counts.erase(count);
  };
  if (call.is_provisioned) {
    count_out(in_provisioned, key_of(spec));
  } else {
    count_out(of_function, spec.arn);
    if (!call.is_reserved) count_out(unreserved, place_of(spec));
  }
  if (!lines->is_empty()) lines->call_next(pool_of(spec), free_in_line(spec));
}

int Workers::Impl::free_in_line(const FunctionSpec& spec) const {
  return refuses || base::RealClock().now() < no_room_until ? 0 : free_places(spec);
}

int Workers::Impl::free_places(const FunctionSpec& spec) const {
  const int taken = spec.reserved_concurrency ? count_in(of_function, spec.arn) : count_in(unreserved, place_of(spec));
  return std::max(0, places(spec) - taken - spec.provisioned_in_pool) + free_provisioned(spec);
}

int Workers::Impl::places(const FunctionSpec& spec) const {
  return spec.reserved_concurrency.value_or(options.concurrency_max - spec.reserved_in_account);
}

int Workers::Impl::free_provisioned(const FunctionSpec& spec) const {
  const auto group = groups.find(key_of(spec));
  if (group == groups.end() || group->second->provisioned == 0) return 0;
  return std::max(0, static_cast<int>(group->second->provisioned) - count_in(in_provisioned, key_of(spec)));
}

// A call that waits may be of before its function's places were taken away: one process may always be.
bool Workers::Impl::as_many_work_as_may(const FunctionSpec& spec) const {
  return count_in(at_work, pool_of(spec)) >= std::max(1, places(spec));
}

void Workers::Impl::work(Member& member) {
  if (!member.works_in.empty()) return;
  member.works_in = pool_of(*member.group->spec);
  ++at_work[member.works_in];
}

void Workers::Impl::rest(Member& member) {
  if (member.works_in.empty()) return;
  if (const auto count = at_work.find(std::exchange(member.works_in, {})); --count->second == 0) at_work.erase(count);
}

int Workers::Impl::count_in(const std::unordered_map<std::string, int>& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

std::string Workers::Impl::place_of(const FunctionSpec& spec) {
  return spec.account + ":" + spec.region;
}

std::string Workers::Impl::pool_of(const FunctionSpec& spec) {
  return spec.reserved_concurrency ? spec.arn : place_of(spec);
}

bool Workers::Impl::is_before_its_turn(const PlaceTurnPtr& turn, const FunctionSpec& spec) const {
  return turn && lines->is_before_its_turn(*turn, pool_of(spec), free_places(spec));
}

}  // namespace tidemill::engine

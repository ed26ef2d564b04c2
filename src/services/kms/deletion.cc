// ScheduleKeyDeletion, CancelKeyDeletion, and the end of keys.
#include "services/kms/deletion.h"

#include <algorithm>
#include <vector>

#include "services/kms/alias.h"
#include "services/kms/bus_events.h"
#include "services/kms/describing.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"
#include "services/kms/rotation.h"
#include "store/timer.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

constexpr int32_t kWindowUsual = 30;  // days
constexpr int32_t kWindowMin = 7;
constexpr int32_t kWindowMax = 30;

int32_t window_of(const shapes::ScheduleKeyDeletionInput& request) {
  const int32_t days = request.pending_window_in_days.value_or(kWindowUsual);
  if (days >= kWindowMin && days <= kWindowMax) return days;
  throw errors::validation_exception(
      base::cat("PendingWindowInDays must be between ", kWindowMin, " and ", kWindowMax, " (inclusive)."));
}

Task<void> erase_aliases(store::Transaction& txn, const KeyAddress& address) {
  std::vector<std::string> names;
  co_await txn.scan(aliases_of_key_range(address), store::Direction::forward,
                    [&](std::string_view record, std::string_view) {
                      names.push_back(alias_name_of(address, record));
                      return true;
                    });
  for (const std::string& name : names) {
    erase_alias(txn, {.account = address.account, .region = address.region, .name = name, .target = address.id});
  }
}

Task<void> delete_key(Service& service, const store::Timer& timer) {
  const KeyAddress address = address_of_record(timer.id);
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    co_await erase_aliases(txn, address);
    txn.erase_range(materials_range(address));
    txn.erase(timer.id);
    co_await tell_bus(txn, address, kTellDeletion, now);
  });
}

}  // namespace

void delete_keys_by(engine::TimerService& timers, Service& service) {
  timers.handle(store::TimerKind{kDeletionTimer},
                [&service](const store::Timer& timer) { return delete_key(service, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<shapes::ScheduleKeyDeletionOutput> schedule_key_deletion(Service& service, wire::Context& context,
                                                              const shapes::ScheduleKeyDeletionInput& request) {
  const KeyAddress address = parse_key_id(context, request.key_id);
  const int32_t days = window_of(request);
  const base::Time due = context.now() + std::chrono::days(days);
  shapes::ScheduleKeyDeletionOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_customers(key, "ScheduleKeyDeletion");
    require_kept(key);
    key.deletion = due;  // its rotation waits, and goes on if the deletion is cancelled
    save_key(txn, key);
    co_await store::cancel_timer(txn, {kRotationTimer}, record_key(address));
    co_await store::set_timer(txn, {std::string(kDeletionTimer), record_key(address), due, ""});
    out.key_state = state_of(key);
  });
  out.key_id = address.arn();
  out.deletion_date = due;
  out.pending_window_in_days = days;
  co_return out;
}

Task<shapes::CancelKeyDeletionOutput> cancel_key_deletion(Service& service, wire::Context& context,
                                                          const shapes::CancelKeyDeletionInput& request) {
  const KeyAddress address = parse_key_id(context, request.key_id);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_customers(key, "CancelKeyDeletion");
    if (!key.deletion) {
      throw errors::kms_invalid_state_exception(base::cat(address.arn(), " is not pending deletion."));
    }
    key.deletion.reset();
    key.enabled = false;
    if (key.rotation) key.rotation->next = std::max(key.rotation->next, now);
    save_key(txn, key);
    co_await store::cancel_timer(txn, {kDeletionTimer}, record_key(address));
    co_await wait_for_rotation(txn, key);
  });
  shapes::CancelKeyDeletionOutput out;
  out.key_id = address.arn();
  co_return out;
}

}  // namespace tidemill::kms

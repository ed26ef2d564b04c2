// EnableKeyRotation, DisableKeyRotation, GetKeyRotationStatus, RotateKeyOnDemand, ListKeyRotations, and rotation by time.
#include "services/kms/rotation.h"

#include <algorithm>
#include <vector>

#include "services/kms/bus_events.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"
#include "store/timer.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

constexpr int32_t kPeriodUsual = 365;  // days
constexpr int64_t kOnDemandMax = 25;
constexpr int32_t kPageUsual = 100;

// Throws for a key whose material stays.
void require_rotatable(const Key& key, std::string_view operation) {
  require_customers(key, operation);
  if (key.is_symmetric()) return;
  throw errors::unsupported_operation_exception(
      base::cat(key.address.arn(), " is of the spec ", key.spec, ", whose material is not rotated."));
}

// The key encrypts with `next` from now on.
Task<void> replace_material(store::Transaction& txn, Key& key, const Material& next, base::Time now) {
  save_material(txn, key.address, next);
  key.material = next.id;
  co_await tell_bus(txn, key.address, kTellRotation, now);
}

Task<void> rotate_by_time(Service& service, const store::Timer& timer) {
  const KeyAddress address = address_of_record(timer.id);
  const auto master = co_await service.master().get();
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    auto key = co_await find_key(txn, address);
    if (!key || !key->rotation || key->deletion) co_return;
    // One that is disabled keeps what it has until the next time.
    if (key->enabled) co_await replace_material(txn, *key, new_material(*master, *key, now, kRotatedByTime), now);
    key->rotation->next = now + std::chrono::days(key->rotation->period_days);
    save_key(txn, *key);
    co_await wait_for_rotation(txn, *key);
  });
}

}  // namespace

Task<void> wait_for_rotation(store::Transaction& txn, const Key& key) {
  const std::string id = record_key(key.address);
  if (key.rotation) {
    co_await store::set_timer(txn, {std::string(kRotationTimer), id, key.rotation->next, ""});
  } else {
    co_await store::cancel_timer(txn, {kRotationTimer}, id);
  }
}

void rotate_keys_by(engine::TimerService& timers, Service& service) {
  timers.handle(store::TimerKind{kRotationTimer},
                [&service](const store::Timer& timer) { return rotate_by_time(service, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<shapes::EnableKeyRotationOutput> enable_key_rotation(Service& service, wire::Context& context,
                                                          const shapes::EnableKeyRotationInput& request) {
  const KeyAddress address = parse_key_id(context, request.key_id);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_rotatable(key, "EnableKeyRotation");
    require_enabled(key);
    const int64_t before = key.rotation ? key.rotation->period_days : kPeriodUsual;
    const int64_t period = request.rotation_period_in_days ? *request.rotation_period_in_days : before;
    if (key.rotation && key.rotation->period_days == period) co_return;
    key.rotation = {.period_days = period, .next = now + std::chrono::days(period)};
    save_key(txn, key);
    co_await wait_for_rotation(txn, key);
  });
  co_return shapes::EnableKeyRotationOutput{};
}

Task<shapes::DisableKeyRotationOutput> disable_key_rotation(Service& service, wire::Context& context,
                                                            const shapes::DisableKeyRotationInput& request) {
  const KeyAddress address = parse_key_id(context, request.key_id);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_rotatable(key, "DisableKeyRotation");
    require_enabled(key);
    key.rotation.reset();
    save_key(txn, key);
    co_await wait_for_rotation(txn, key);
  });
  co_return shapes::DisableKeyRotationOutput{};
}

Task<shapes::GetKeyRotationStatusOutput> get_key_rotation_status(Service& service, wire::Context& context,
                                                                 const shapes::GetKeyRotationStatusInput& request) {
  const auto snapshot = service.store().snapshot();
  const Key key = co_await load_key(*snapshot, parse_key_id(context, request.key_id));
  shapes::GetKeyRotationStatusOutput out;
  out.key_id = key.address.arn();
  const bool is_rotated = key.rotation && !key.deletion;
  out.key_rotation_enabled = is_rotated;
  if (is_rotated) {
    out.rotation_period_in_days = static_cast<int32_t>(key.rotation->period_days);
    out.next_rotation_date = key.rotation->next;
  }
  co_return out;
}

Task<shapes::RotateKeyOnDemandOutput> rotate_key_on_demand(Service& service, wire::Context& context,
                                                           const shapes::RotateKeyOnDemandInput& request) {
  const KeyAddress address = parse_key_id(context, request.key_id);
  const auto master = co_await service.master().get();
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_rotatable(key, "RotateKeyOnDemand");
    require_enabled(key);
    if (key.rotations_on_demand == kOnDemandMax) {
      throw errors::limit_exceeded_exception(
          base::cat(address.arn(), " has been rotated on demand ", kOnDemandMax, " times, which is the most."));
    }
    ++key.rotations_on_demand;
    co_await replace_material(txn, key, new_material(*master, key, now, kRotatedOnDemand), now);
    save_key(txn, key);
  });
  shapes::RotateKeyOnDemandOutput out;
  out.key_id = address.arn();
  co_return out;
}

Task<shapes::ListKeyRotationsOutput> list_key_rotations(Service& service, wire::Context& context,
                                                        const shapes::ListKeyRotationsInput& request) {
  const std::string which = request.include_key_material.value_or("ROTATIONS_ONLY");
  if (which != "ROTATIONS_ONLY" && which != "ALL_KEY_MATERIAL") {
    throw errors::validation_exception("IncludeKeyMaterial must be ALL_KEY_MATERIAL or ROTATIONS_ONLY.");
  }
  const auto snapshot = service.store().snapshot();
  const Key key = co_await load_key(*snapshot, parse_key_id(context, request.key_id));
  std::vector<Material> all;
  co_await snapshot->scan(materials_range(key.address), store::Direction::forward,
                          [&](std::string_view record, std::string_view bytes) {
                            Material material = decode_material(material_id_of(key.address, record), bytes);
                            if (!material.made_by.empty() || which == "ALL_KEY_MATERIAL") all.push_back(std::move(material));
                            return true;
                          });
  std::ranges::sort(all, {}, &Material::created);
  shapes::ListKeyRotationsOutput out;
  out.rotations.emplace();
  out.truncated = false;
  const auto most = static_cast<size_t>(request.limit.value_or(kPageUsual));
  // Old material is never removed before its key: the marker is the one that a page begins with.
  const auto from = request.marker ? std::ranges::find(all, *request.marker, &Material::id) : all.begin();
  if (request.marker && from == all.end()) throw errors::invalid_marker_exception("The marker is not valid.");
  for (auto each = from; each != all.end(); ++each) {
    if (out.rotations->size() == most) {
      out.truncated = true;
      out.next_marker = each->id;
      break;
    }
    shapes::RotationsListEntry& shown = out.rotations->emplace_back();
    shown.key_id = key.address.arn();
    shown.key_material_id = each->id;
    shown.key_material_state = each->id == key.material ? "CURRENT" : "NON_CURRENT";
    if (each->made_by.empty()) continue;
    shown.rotation_date = each->created;
    shown.rotation_type = each->made_by;
  }
  co_return out;
}

}  // namespace tidemill::kms

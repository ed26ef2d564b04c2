#include "services/cloudformation/keys.h"

#include "base/ordered.h"
#include "base/text.h"
#include "store/resources.h"

namespace tidemill::cloudformation {

namespace {

std::string below(const Place& place, std::string_view kind) {
  return store::resource_prefix({"cloudformation", kind}, place.account, place.region);
}

std::string key_of(const Place& place, std::string_view kind, std::string_view first) {
  std::string key = below(place, kind);
  base::append_string(key, first);
  return key;
}

std::string key_of(const Place& place, std::string_view kind, std::string_view first, std::string_view second) {
  std::string key = key_of(place, kind, first);
  base::append_string(key, second);
  return key;
}

}  // namespace

std::string stack_key(const Place& place, std::string_view uuid) { return key_of(place, "stack", uuid); }
std::string stack_name_key(const Place& place, std::string_view name) { return key_of(place, "stack-name", name); }

std::string stack_order_key(const Place& place, int64_t created_us, std::string_view uuid) {
  std::string key = below(place, "stack-order");
  base::append_i64(key, -created_us);
  base::append_string(key, uuid);
  return key;
}
store::Range stack_order_range(const Place& place) { return store::Range::prefix(below(place, "stack-order")); }

std::string template_key(const Place& place, std::string_view uuid, std::string_view slot) {
  return key_of(place, "stack-template", uuid, slot);
}
store::Range templates_range(const Place& place, std::string_view uuid) {
  return store::Range::prefix(key_of(place, "stack-template", uuid));
}

std::string resource_key(const Place& place, std::string_view uuid, std::string_view logical_id) {
  return key_of(place, "stack-resource", uuid, logical_id);
}
store::Range resources_range(const Place& place, std::string_view uuid) {
  return store::Range::prefix(key_of(place, "stack-resource", uuid));
}

std::string event_key(const Place& place, std::string_view uuid, int64_t time_us) {
  std::string key = key_of(place, "stack-event", uuid);
  base::append_u64(key, static_cast<uint64_t>(time_us));
  return key;
}
store::Range events_range(const Place& place, std::string_view uuid) {
  return store::Range::prefix(key_of(place, "stack-event", uuid));
}

std::string notified_key(const Place& place, std::string_view uuid) { return key_of(place, "stack-notified", uuid); }

std::string physical_key(const Place& place, std::string_view physical_id, std::string_view uuid,
                         std::string_view logical_id) {
  std::string key = key_of(place, "stack-physical", physical_id, uuid);
  base::append_string(key, logical_id);
  return key;
}
store::Range physical_range(const Place& place, std::string_view physical_id) {
  return store::Range::prefix(key_of(place, "stack-physical", physical_id));
}

std::string change_set_key(const Place& place, std::string_view stack_uuid, std::string_view name) {
  return key_of(place, "change-set", stack_uuid, name);
}
store::Range change_sets_range(const Place& place, std::string_view stack_uuid) {
  return store::Range::prefix(key_of(place, "change-set", stack_uuid));
}
std::string change_set_id_key(const Place& place, std::string_view uuid) {
  return key_of(place, "change-set-id", uuid);
}
std::string change_set_changes_key(const Place& place, std::string_view uuid) {
  return key_of(place, "change-set-changes", uuid);
}

std::string export_key(const Place& place, std::string_view name) { return key_of(place, "export", name); }
store::Range exports_range(const Place& place) { return store::Range::prefix(below(place, "export")); }
std::string import_key(const Place& place, std::string_view name, std::string_view stack_uuid) {
  return key_of(place, "import", name, stack_uuid);
}
store::Range imports_range(const Place& place, std::string_view name) {
  return store::Range::prefix(key_of(place, "import", name));
}
std::string stack_import_key(const Place& place, std::string_view stack_uuid, std::string_view name) {
  return key_of(place, "stack-import", stack_uuid, name);
}
store::Range stack_imports_range(const Place& place, std::string_view stack_uuid) {
  return store::Range::prefix(key_of(place, "stack-import", stack_uuid));
}

std::string adoption_key(const Place& place, std::string_view name) { return key_of(place, "stack-adoption", name); }

std::string answer_key(const Place& place, std::string_view token) { return key_of(place, "stack-answer", token); }

std::string stack_topic(std::string_view uuid) { return base::cat("cloudformation/", uuid); }

}  // namespace tidemill::cloudformation

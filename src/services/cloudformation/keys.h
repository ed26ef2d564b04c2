// Keys of what this service stores, all KeySpace::resource below (account, region, "cloudformation", kind, …):
//
//   stack, uuid                     a stack (stack.h), also one that is deleted, until it is forgotten
//   stack-name, name                the uuid of the stack that has this name now
//   stack-adoption, name            the ARN of the stack that is about to make one of this name as a part of itself
//   stack-order, i64(-created µs) uuid   the same stacks, newest first
//   stack-template, uuid, slot      a template as it was sent and as it was processed (template_text.h)
//   stack-resource, uuid, logical   a resource (resource.h)
//   stack-event, uuid, u64(µs)      an event (event.h)
//   stack-physical, physical id, uuid, logical   where a physical id belongs
//   change-set, uuid of its stack, name          a change set (change_set.h)
//   change-set-changes, its uuid                 what it changes: a JSON array
//   change-set-id, uuid             where it stands: "<uuid of its stack> <name>"
//   export, name                    an export (exports.h)
//   import, name of the export, uuid of the stack that imports it
//   stack-import, uuid, name of the export       the same by the stack
//   stack-answer, token             what a custom resource or a wait condition has been answered (answers.h)
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::cloudformation {

// Where stacks live.
struct Place {
  std::string account;
  std::string region;
  bool operator==(const Place&) const = default;
};

[[nodiscard]] std::string stack_key(const Place& place, std::string_view uuid);
[[nodiscard]] std::string stack_name_key(const Place& place, std::string_view name);
[[nodiscard]] std::string adoption_key(const Place& place, std::string_view name);
[[nodiscard]] std::string stack_order_key(const Place& place, int64_t created_us, std::string_view uuid);
[[nodiscard]] store::Range stack_order_range(const Place& place);
[[nodiscard]] std::string template_key(const Place& place, std::string_view uuid, std::string_view slot);
[[nodiscard]] store::Range templates_range(const Place& place, std::string_view uuid);
[[nodiscard]] std::string resource_key(const Place& place, std::string_view uuid, std::string_view logical_id);
[[nodiscard]] store::Range resources_range(const Place& place, std::string_view uuid);
[[nodiscard]] std::string event_key(const Place& place, std::string_view uuid, int64_t time_us);
[[nodiscard]] store::Range events_range(const Place& place, std::string_view uuid);
// The key of the last event that the stack's topics were told of.
[[nodiscard]] std::string notified_key(const Place& place, std::string_view uuid);
[[nodiscard]] std::string physical_key(const Place& place, std::string_view physical_id, std::string_view uuid,
                                       std::string_view logical_id);
[[nodiscard]] store::Range physical_range(const Place& place, std::string_view physical_id);
[[nodiscard]] std::string change_set_key(const Place& place, std::string_view stack_uuid, std::string_view name);
[[nodiscard]] store::Range change_sets_range(const Place& place, std::string_view stack_uuid);
[[nodiscard]] std::string change_set_id_key(const Place& place, std::string_view uuid);
[[nodiscard]] std::string change_set_changes_key(const Place& place, std::string_view uuid);
[[nodiscard]] std::string export_key(const Place& place, std::string_view name);
[[nodiscard]] store::Range exports_range(const Place& place);
[[nodiscard]] std::string import_key(const Place& place, std::string_view name, std::string_view stack_uuid);
[[nodiscard]] store::Range imports_range(const Place& place, std::string_view name);
[[nodiscard]] std::string stack_import_key(const Place& place, std::string_view stack_uuid, std::string_view name);
[[nodiscard]] store::Range stack_imports_range(const Place& place, std::string_view stack_uuid);
[[nodiscard]] std::string answer_key(const Place& place, std::string_view token);
// Signalled when the stack's engine should look again, and when its status has changed.
[[nodiscard]] std::string stack_topic(std::string_view uuid);

}  // namespace tidemill::cloudformation

// A resource of a stack as it is stored: what exists now, what there was before the operation that runs, and what is left
// to be removed. All that a rollback needs stands here, from before the first call that changes anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "services/cloudformation/stack.h"
#include "store/store.h"

namespace tidemill::cloudformation {

// A thing that exists.
struct Made {
  std::string physical_id;  // empty: nothing was made yet, as far as is known
  json::Object properties;  // checked (properties.h)
  // The same as everybody may see them, without the values of NoEcho parameters and of dynamic references. Nothing: they
  // have no such value.
  std::optional<json::Object> shown = std::nullopt;
  json::Object attributes;  // what GetAtt gives
  bool hides_attributes = false;  // Step::hide_attributes()
  base::json::TextMap tags;  // of the stack, when it was made or changed
  bool undone = false;       // of a leftover: made by an operation that was rolled back, so no policy keeps it
  bool imported = false;     // it stood before the stack had it: whoever takes that back lets it go
  // What a change in place that failed was bringing it to, when something else began to take its place: it stands
  // somewhere between the two.
  std::optional<json::Object> attempted = std::nullopt;
  std::optional<json::Object> attempted_shown = std::nullopt;

  [[nodiscard]] const json::Object& visible() const { return shown ? *shown : properties; }
};

struct Resource {
  std::string logical_id;
  std::string type;
  std::string status;
  std::string reason;
  Time changed;
  int64_t operation = 0;  // of the stack: the last that touched it
  Made now;
  // Before the operations that a rollback would take back (Stack::since). Nothing: it was not there, or none touched it.
  std::optional<Made> before;
  // The properties that a change in place is bringing about, until it has.
  std::optional<json::Object> attempted;
  std::optional<json::Object> attempted_shown;  // Made::shown of these
  bool replacing = false;  // `operation` makes it anew,
  std::string replaced_id;   // in the place of this
  bool undone = false;     // made by an operation that was rolled back: to be removed in the clean-up
  bool half_made = false;  // its creation did not end, and it is being removed: no policy keeps it
  bool gone = false;       // removed, or left alone for good; shown still
  std::vector<Made> leftovers;  // replaced, to be removed in the clean-up
  std::vector<std::string> depends_on;  // logical ids
  std::string deletion_policy;
  std::string update_replace_policy;
  std::string metadata;  // JSON; empty: none
  json::Value creation_policy;  // null: none
  std::vector<std::string> imports;  // the exports that its properties use
  json::Value memory;    // what a step leaves itself
  json::Value noted;     // Step::noted()

  [[nodiscard]] bool exists() const { return !gone && !now.physical_id.empty(); }
  // It never was whole: its creation has failed, or was given up when the process had ended.
  [[nodiscard]] bool is_half_made() const;
};

// Whether its policy has the resource left alone where `stack` is to be rid of it. `undoes_creation`: by taking back
// what made it.
[[nodiscard]] bool is_kept_by_policy(const Stack& stack, const Resource& resource, bool undoes_creation);

// The properties by which `made`, the resource's own or one of its leftovers, is removed: all that failed changes may
// have put into it is in their lists. Beside lists the first has what is known to stand, the others what such a change
// may have made of it.
[[nodiscard]] std::vector<json::Object> what_may_stand(const Resource& resource, const Made& made);

using Resources = std::map<std::string, Resource, std::less<>>;

[[nodiscard]] std::string encode_resource(const Resource& resource);
[[nodiscard]] Resource decode_resource(std::string_view bytes);

// `before`: what stood there, for the index of physical ids; null: nothing.
void put_resource(store::Transaction& txn, const StackId& stack, const Resource& resource, const Resource* before);
void erase_resource(store::Transaction& txn, const StackId& stack, const Resource& resource);

Task<Resources> load_resources(store::Snapshot& reader, const StackId& stack);
Task<std::optional<Resource>> find_resource(store::Snapshot& reader, const StackId& stack, std::string_view logical_id);

}  // namespace tidemill::cloudformation

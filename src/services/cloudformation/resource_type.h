// What a type of resource is: the contract between the engine of stacks and the files in types/, one for each type.
//
//   A type is a table of its properties and four coroutines over the operation registry. types/sqs_queue.cc is the model:
//
//     constexpr Property kQueueProperties[] = {
//         {.name = "QueueName", .update = Update::replaces},
//         {.name = "DelaySeconds", .kind = Kind::integer},
//         {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
//     };
//     Task<std::string> create_queue(Step& step, const json::Object& properties) { ... }
//     const ResourceType types::kSqsQueue = {
//         .name = "AWS::SQS::Queue", .properties = kQueueProperties, .create = create_queue, ...};
//
//   and one line in types/types.cc and one in types/types.h.
//
// By the table, before any coroutine is called, properties are checked and brought into the forms that it says
// (properties.h): "5" becomes 5, true becomes "true", what the table does not have is refused. What the services check
// themselves (lengths, ranges, words) the table leaves to them.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/step.h"

namespace tidemill::cloudformation {

// What one value is. `json`: anything, as it is (policies, patterns); an object given as text stays text.
enum class Kind { string, integer, number, boolean, json, object };

// One value, a list of such, or a map of such by any names.
enum class Form { single, list, map };

// What it takes to change a property.
enum class Update {
  in_place,   // update() does it
  replaces,   // the resource is made anew, and the old one removed once all has succeeded
  perhaps,    // ResourceType::replaces says it
};

struct Property {
  std::string_view name;
  Kind kind = Kind::string;
  Form form = Form::single;
  bool required = false;
  Update update = Update::in_place;
  std::span<const Property> members = {};  // of objects; their `update` counts for nothing: the outermost's does
  // AWS has it and Tidemill does not carry it: refused by name, with this reason. Empty: it is carried.
  std::string_view refused = {};
  bool write_only = false;  // nobody can read it: ResourceType::read leaves it out, required or not
};

// [{Key, Value}], as most types have their tags.
inline constexpr Property kTagProperties[] = {
    {.name = "Key", .required = true},
    {.name = "Value", .required = true},
};

struct ResourceType {
  std::string_view name;  // "AWS::SQS::Queue"
  std::span<const Property> properties;

  // Makes the resource and returns its physical id, which is what Ref gives. It may be called again for one that
  // was made already, after a crash (Step::may_repeat): names of Step::physical_name() are the same then. A resource
  // that stands there and is not ours is refused as AlreadyExists.
  Task<std::string> (*create)(Step& step, const json::Object& properties) = nullptr;

  // Brings the resource `id` from `before` to `after`; they differ in properties that change in place only. Called again
  // after a crash, and in a rollback from a state that may lie between the two: so it writes all that differs, whatever
  // stands there. Returns the physical id from then on: another one means that it was replaced, and the old one is
  // removed in the clean-up. Null: nothing of this type changes in place.
  Task<std::string> (*update)(Step& step, std::string id, const json::Object& before,
                              const json::Object& after) = nullptr;

  // Gone already is success, and so is what a malformed name names (Step::take_away). Where changes in place have
  // failed, and were kept, lists have what all of them may have put there.
  Task<void> (*remove)(Step& step, std::string id, const json::Object& properties) = nullptr;

  // What GetAtt knows of it, {"Arn": "…"}, once it is made or updated. Null: nothing. Names may have dots ("Endpoint.Port").
  Task<json::Object> (*attributes)(Step& step, std::string id, const json::Object& properties) = nullptr;

  // Its properties as it is, without those that are defaults of AWS's and those that nobody can read; a resource that is
  // not there throws what its service says. Null: it cannot be read, and so not be had by the Cloud Control API.
  Task<json::Object> (*read)(Step& step, std::string id) = nullptr;

  // What the Cloud Control API calls it by, where that is not what Ref gives, and the way back, which throws InvalidRequest
  // for what is no identifier of the type. Null: it is what Ref gives.
  std::string (*identifier_of)(const Step& step, std::string id) = nullptr;
  std::string (*id_of)(std::string identifier) = nullptr;

  // The ids of all that there are. Null: they cannot be listed.
  Task<std::vector<std::string>> (*list)(Step& step) = nullptr;

  // Whether the change needs a new resource, for properties of Update::perhaps. Null: there are none.
  bool (*replaces)(const json::Object& before, const json::Object& after) = nullptr;

  // Why the change cannot be, whatever stands there: then it does not begin, and the resource keeps what it has. Empty:
  // it may. What is taken back is not asked about. Null: every change may begin.
  std::string_view (*refuses)(const json::Object& before, const json::Object& after) = nullptr;

  // The property that holds a name of the user's choice, for which CAPABILITY_NAMED_IAM is asked, and of which two cannot
  // stand at once in a replacement. Empty: it cannot be named.
  std::string_view name_property = {};

  // The id names nothing in the service: remove() goes by properties alone, and is called for each that failed changes
  // in place may have brought it to.
  bool removed_by_properties = false;

  // Properties that the table does not have are passed on as they are, and so are all to remove(): custom resources.
  bool takes_any_property = false;
};

// ---- For types ------------------------------------------------------------------------------------------------------

// The resource stands there already: create() throws it, with what exists: "Resource of type 'X' with identifier 'Y'".
struct AlreadyExists : std::runtime_error {
  explicit AlreadyExists(const std::string& what) : std::runtime_error(what) {}
};

// What a type finds wrong itself. AWS: "… (RequestToken: …, HandlerErrorCode: InvalidRequest)".
struct InvalidRequest : std::runtime_error {
  explicit InvalidRequest(const std::string& what) : std::runtime_error(what) {}
};

// Waits of a step that end because a sibling failed, or the update is cancelled. Types let it pass.
struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("cancelled") {}
};

// A text property; empty: it is not given.
[[nodiscard]] std::string text_of(const json::Object& properties, std::string_view name);
// Tags of [{Key, Value}] or of a map, with those of the stack, which they take precedence over: as a list of
// {Key, Value} with the members' names as given, or as a map. Empty if there are none.
[[nodiscard]] json::Array tag_list(const Step& step, const json::Object& properties, std::string_view property = "Tags",
                                   std::string_view key = "Key", std::string_view value = "Value");
[[nodiscard]] json::Object tag_map(const Step& step, const json::Object& properties, std::string_view property = "Tags");
// As tag_map() was before this change of the stack, for update(): its properties before, and the stack's tags then.
[[nodiscard]] json::Object previous_tag_map(const Step& step, const json::Object& before,
                                            std::string_view property = "Tags");
// The keys that `before` has and `after` does not: those to remove.
[[nodiscard]] json::Array keys_gone(const json::Object& before, const json::Object& after);
// Copies the member, if it is there, under another name or its own.
void copy_member(json::Object& to, const json::Object& from, std::string_view name, std::string_view as = {});
// Whether the two have the same value, or both none, under `name`.
[[nodiscard]] bool same_member(const json::Object& before, const json::Object& after, std::string_view name);

}  // namespace tidemill::cloudformation

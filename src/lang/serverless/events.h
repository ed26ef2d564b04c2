// Inside: events of functions and state machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/serverless/application.h"

namespace tidemill::lang::serverless {

// Whom an event calls.
struct Target {
  enum class Kind { function, state_machine };

  Kind kind = Kind::function;
  std::string id;    // of the function or state machine, as the template names it
  json::Value name;  // what refers to it, or to its alias
  json::Value arn;
};

// What the events of one target need of its role.
struct EventNeeds {
  std::vector<std::string> managed;
  std::vector<json::Value> statements;
};

// One of Events: its name, type and properties.
struct Event {
  std::string name;
  std::string type;
  json::Object properties;
  std::string id;  // <target><name>: of what it makes

  [[nodiscard]] const json::Value* find(std::string_view key) const { return properties.find(key); }
  // Throws ResourceError if it is not there.
  [[nodiscard]] const json::Value& required(std::string_view key) const;
  // Throws ResourceError for a property that is not among these.
  void allow_only(std::initializer_list<std::span<const std::string_view>> known) const;
};

// All of them, in their order.
[[nodiscard]] EventNeeds make_events(Application& application, const Source& source, const Target& target);

// By type. `needs` takes what the role must have.
void make_mapping(Application& application, const Source& source, const Event& event, const Target& target,
                  EventNeeds& needs);
void make_topic_event(Application& application, const Source& source, const Event& event, const Target& target,
                      EventNeeds& needs);
void make_bucket_event(Application& application, const Source& source, const Event& event, const Target& target);
void make_rule(Application& application, const Source& source, const Event& event, const Target& target);
void make_schedule(Application& application, const Source& source, const Event& event, const Target& target);
void make_log_event(Application& application, const Source& source, const Event& event, const Target& target);

// Lets a service call the function; on behalf of `source_arn`, if there is one.
void add_permission(Application& application, const Source& source, const std::string& id, const Target& target,
                    std::string_view service, const json::Value* source_arn);
// A role that lets a service call the target; its id.
std::string add_invoke_role(Application& application, const Source& source, const Event& event, const Target& target,
                            std::string_view service);

}  // namespace tidemill::lang::serverless

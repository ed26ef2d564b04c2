// The details of the events that several states share, by their names in the API.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "services/states/tasks/task.h"

namespace tidemill::states {

void write_optional(json::Writer& writer, std::string_view name, const std::optional<std::string>& text);
inline void write_text(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
}
inline void write_number(json::Writer& writer, std::string_view name, int64_t number) {
  writer.key(name);
  writer.integer(number);
}

// How a family of tasks calls one of its events: {"TaskSucceeded", "taskSucceededEventDetails"}.
struct EventName {
  std::string type;
  std::string details;
};
[[nodiscard]] EventName task_event(tasks::Family family, std::string_view what);

// Of Task* events: "resource" and "resourceType".
void write_resource(json::Writer& writer, const tasks::Resource& resource);

}  // namespace tidemill::states

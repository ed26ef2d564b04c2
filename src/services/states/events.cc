#include "services/states/events.h"

#include "base/text.h"

namespace tidemill::states {

void write_optional(json::Writer& writer, std::string_view name, const std::optional<std::string>& text) {
  if (text) write_text(writer, name, *text);
}

EventName task_event(tasks::Family family, std::string_view what) {
  if (family == tasks::Family::lambda_function) {
    return {base::cat("LambdaFunction", what), base::cat("lambdaFunction", what, "EventDetails")};
  }
  if (family == tasks::Family::activity) {
    return {base::cat("Activity", what), base::cat("activity", what, "EventDetails")};
  }
  return {base::cat("Task", what), base::cat("task", what, "EventDetails")};
}

void write_resource(json::Writer& writer, const tasks::Resource& resource) {
  write_text(writer, "resource", resource.action);
  write_text(writer, "resourceType", resource.type);
}

}  // namespace tidemill::states

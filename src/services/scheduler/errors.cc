#include "services/scheduler/errors.h"

#include "base/text.h"

namespace tidemill::scheduler {

using base::cat;

wire::Error invalid(std::string_view what) { return errors::validation_exception(std::string(what)); }
wire::Error no_schedule(std::string_view name) {
  return errors::resource_not_found_exception(cat("Schedule ", name, " does not exist."));
}
wire::Error no_group(std::string_view name) {
  return errors::resource_not_found_exception(cat("Schedule group ", name, " does not exist."));
}
wire::Error not_supported(std::string_view what) { return invalid(cat("Tidemill does not support ", what, ".")); }

}  // namespace tidemill::scheduler

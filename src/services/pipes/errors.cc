#include "services/pipes/errors.h"

#include "base/json.h"
#include "base/text.h"

namespace tidemill::pipes {

using base::cat;

wire::Error invalid(std::string_view parameter, std::string_view what) {
  json::Object field{{"Name", parameter}, {"Message", what}};
  const json::Object message{{"ValidationErrorFields", json::Array{std::move(field)}}};
  std::vector<wire::pipes::ValidationExceptionField> fields;
  fields.push_back({.name = std::string(parameter), .message = std::string(what)});
  return errors::validation_exception(json::write(message), {.field_list = std::move(fields)});
}

wire::Error missing(std::string_view parameter) { return invalid(parameter, "Missing required parameter."); }

wire::Error no_pipe(std::string_view name) {
  return errors::not_found_exception(cat("Pipe ", name, " does not exist."));
}

wire::Error conflict(std::string_view name, std::string_view what) {
  return errors::conflict_exception(cat("Pipe ", name, " ", what),
                                    {.resource_id = std::string(name), .resource_type = "pipe"});
}

wire::Error not_supported(std::string_view parameter, std::string_view what) {
  return invalid(parameter, cat("Tidemill does not support ", what, "."));
}

}  // namespace tidemill::pipes

#include "services/healthlake/errors.h"

#include "base/text.h"

namespace tidemill::healthlake {

using base::cat;

wire::Error invalid(std::string_view what) { return errors::validation_exception(std::string(what)); }
wire::Error no_datastore(std::string_view id) {
  return errors::resource_not_found_exception(cat("Data store ", id, " was not found."));
}
wire::Error no_job(std::string_view id) {
  return errors::resource_not_found_exception(cat("Export job ", id, " was not found."));
}

namespace fhir {

wire::Error invalid(std::string_view what) { return {"invalid", 400, std::string(what)}; }
wire::Error not_supported(std::string_view what) {
  return {"not-supported", 400, cat("Tidemill does not support ", what)};
}
wire::Error unknown_type(std::string_view type) {
  return {"not-supported", 404, cat("FHIR R4 has no resource type ", type)};
}
wire::Error not_found(std::string_view what) { return {"not-found", 404, cat("There is no ", what)}; }
wire::Error deleted(std::string_view what) { return {"deleted", 410, cat(what, " has been deleted")}; }
wire::Error other_version(std::string_view what) {
  return {"conflict", 412, cat(what, " has another version than If-Match asks for")};
}
wire::Error of_search(const lang::fhir::SearchError& error) { return {error.issue(), 400, error.what()}; }

wire::Error of_native(const wire::Error& error) {
  if (error.code == "ResourceNotFoundException") return {"not-found", 404, error.message};
  if (error.code == "ThrottlingException") return {"throttled", 429, error.message};
  if (error.code == "ConflictException") return {"conflict", 409, error.message};
  if (error.code == "ValidationException") return {"invalid", 400, error.message};
  return error;
}

}  // namespace fhir

}  // namespace tidemill::healthlake

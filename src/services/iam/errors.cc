#include "services/iam/errors.h"

#include "base/text.h"

namespace tidemill::iam {

using base::cat;

wire::Error invalid(std::string_view what) { return errors::validation_error_exception(std::string(what)); }
wire::Error no_such(std::string_view what, std::string_view name) {
  return errors::no_such_entity_exception(cat("The ", what, " with name ", name, " cannot be found."));
}
wire::Error no_policy(std::string_view arn) {
  return errors::no_such_entity_exception(cat("Policy ", arn, " was not found."));
}
wire::Error not_attachable(std::string_view arn) {
  return errors::no_such_entity_exception(cat("Policy ", arn, " does not exist or is not attachable."));
}
wire::Error exists(std::string_view what, std::string_view name) {
  return errors::entity_already_exists_exception(cat(what, " with name ", name, " already exists."));
}
wire::Error conflict(std::string_view why) { return errors::delete_conflict_exception(std::string(why)); }
wire::Error over_quota(std::string_view quota, size_t most) {
  return errors::limit_exceeded_exception(cat("Cannot exceed quota for ", quota, ": ", most));
}
wire::Error malformed(std::string_view why) { return errors::malformed_policy_document_exception(std::string(why)); }
wire::Error not_supported(std::string_view what) { return invalid(cat("Tidemill does not support ", what, ".")); }

}  // namespace tidemill::iam

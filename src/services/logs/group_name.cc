#include "services/logs/group_name.h"

#include "base/text.h"
#include "services/logs/errors.h"

namespace tidemill::logs {

store::ResourceAddress group_called(const wire::Context& context, std::string name) {
  return {context.account, context.region, std::move(name)};
}

store::ResourceAddress group_called(const wire::Context& context, const std::optional<std::string>& name,
                                    const std::optional<std::string>& identifier) {
  if (name && identifier) {
    throw errors::invalid_parameter_exception("LogGroupName and LogGroupIdentifier cannot be specified together.");
  }
  if (!name && !identifier) {
    throw errors::invalid_parameter_exception("Either LogGroupName or LogGroupIdentifier must be specified.");
  }
  if (name) return group_called(context, *name);
  return identifier->starts_with("arn:") ? group_of_arn(context, *identifier) : group_called(context, *identifier);
}

store::ResourceAddress group_of_arn(const wire::Context& context, std::string_view arn) {
  const std::string beginning = base::cat("arn:aws:logs:", context.region, ":", context.account, ":log-group:");
  if (!arn.starts_with(beginning)) {
    throw errors::invalid_parameter_exception(base::cat("The ARN ", arn, " is not that of a log group"));
  }
  arn.remove_prefix(beginning.size());
  if (arn.ends_with(":*")) arn.remove_suffix(2);
  if (arn.empty() || arn.find(':') != std::string_view::npos) {
    throw errors::invalid_parameter_exception("The ARN is not that of a log group");
  }
  return group_called(context, std::string(arn));
}

}  // namespace tidemill::logs

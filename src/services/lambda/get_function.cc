// Describes a function, and where its package can be fetched.
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::lambda {

Task<Found> find_function(Service& service, wire::Context& context, std::string name, std::optional<std::string> qualifier) {
  Found found;
  found.reference = parse_function_name(context, name, qualifier);
  found.function = co_await service.functions().find(found.reference);
  if (!found.function) throw function_not_found(found.reference.arn());
  co_return found;
}

Task<shapes::FunctionConfiguration> get_function_configuration(Service& service, wire::Context& context,
                                                               const shapes::GetFunctionConfigurationInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  co_return describe(*found.function, found.reference.qualifier);
}

namespace {

// Tells the tags to whom they may be listed, and others why not.
Task<void> describe_tags(const wire::Context& context, const Function& function, shapes::GetFunctionOutput& out) {
  if (function.tags.empty()) co_return;
  try {
    co_await wire::authorize_deed(context, {"lambda:ListTags", function.address.arn()});
    out.tags = function.tags;
  } catch (const wire::Error& error) {
    if (error.code != "AccessDeniedException") throw;
    out.tags_error = {error.code, error.message};
  }
}

}  // namespace

Task<shapes::GetFunctionOutput> get_function(Service& service, wire::Context& context,
                                             const shapes::GetFunctionInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  shapes::GetFunctionOutput out;
  out.configuration = describe(*found.function, found.reference.qualifier);
  // Known to whoever may see the function: the digest is what a signature is on AWS.
  out.code = {"S3", base::cat(context.endpoint, "/2015-03-31/packages/", found.function->code_digest)};
  co_await describe_tags(context, *found.function, out);
  if (found.function->reserved_concurrency) {
    out.concurrency.emplace().reserved_concurrent_executions = found.function->reserved_concurrency;
  }
  co_return out;
}

Task<shapes::DownloadPackageOutput> download_package(Service& service, wire::Context&,
                                                     const shapes::DownloadPackageInput& request) {
  auto zip = co_await service.packages().read_zip(request.digest);
  if (!zip) throw errors::resource_not_found_exception("There is no such package.");
  shapes::DownloadPackageOutput out;
  out.payload = *std::move(zip);
  co_return out;
}

}  // namespace tidemill::lambda

#include "services/lambda/package_source.h"

#include "base/text.h"
#include "net/http.h"
#include "services/lambda/errors.h"
#include "services/lambda/package.h"
#include "wire/registry.h"
#include "wire/shapes/s3.h"

namespace tidemill::lambda {

namespace {

constexpr int kServerErrors = 500;

wire::Error too_large(int64_t bytes_max) {
  return errors::invalid_parameter_value_exception(base::cat("Zipped size must be smaller than ", bytes_max, " bytes"));
}

}  // namespace

void check_package_source(const PackageSource& source) {
  const bool names_object = source.bucket || source.key || source.version;
  if (source.zip_file && names_object) {
    throw errors::invalid_parameter_value_exception(
        "Please do not provide other FunctionCode parameters when providing a ZipFile.");
  }
  if (!source.zip_file && !(source.bucket && source.key)) {
    throw errors::invalid_parameter_value_exception("Please provide a source for function code.");
  }
  if (source.zip_file && static_cast<int64_t>(source.zip_file->size()) > kZippedBytesMax) {
    throw too_large(kZippedBytesMax);
  }
}

Task<std::optional<std::string>> fetch_package(wire::Context& context, PackageSource source) {
  if (source.zip_file) co_return std::nullopt;
  wire::s3::GetObjectInput request;
  request.bucket = *source.bucket;
  request.key = *source.key;
  request.version_id = source.version;
  try {
    const auto object = co_await context.registry().call<wire::s3::ops::GetObject>(context, request);
    co_return co_await object.body.read_all(static_cast<size_t>(kUnzippedBytesMax));
  } catch (const wire::Error& error) {
    if (error.http_status >= kServerErrors) throw;
    throw errors::invalid_parameter_value_exception(base::cat("Error occurred while GetObject. S3 Error Code: ", error.code,
                                                              ". S3 Error Message: ", error.message));
  } catch (const net::BodyTooLarge&) {
    throw too_large(kUnzippedBytesMax);
  }
}

}  // namespace tidemill::lambda

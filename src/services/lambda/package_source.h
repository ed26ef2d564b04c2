// Where a function's package comes from: the request itself, or an object in a bucket.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "wire/context.h"

namespace tidemill::lambda {

// What CreateFunction has in Code, and UpdateFunctionCode among its own members.
struct PackageSource {
  const std::optional<std::string>& zip_file;
  const std::optional<std::string>& bucket;
  const std::optional<std::string>& key;
  const std::optional<std::string>& version;
};

template <class Code>
PackageSource package_source_of(const Code& code) {
  return {code.zip_file, code.s3_bucket, code.s3_key, code.s3_object_version};
}

// Throws InvalidParameterValueException if it names no source, or two, or bytes beyond kZippedBytesMax.
void check_package_source(const PackageSource& source);

// The bytes of a package in a bucket, whole, read in the caller's name; nothing: they are in the request. What S3 refuses
// comes back as AWS's InvalidParameterValueException "Error occurred while GetObject. S3 Error Code: …"; so does an
// object beyond kUnzippedBytesMax.
Task<std::optional<std::string>> fetch_package(wire::Context& context, PackageSource source);

}  // namespace tidemill::lambda

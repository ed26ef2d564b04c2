// What AWS's own policies say, of those that what runs here usually has ("AWS Managed Policy Reference"). They are
// facts of AWS's and change there; here only what concerns services that Tidemill has is said.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::iam {

// `name` is the ARN's end: "AdministratorAccess", "service-role/AWSLambdaBasicExecutionRole". Empty: it is not known,
// so it allows nothing.
[[nodiscard]] std::string document_of_aws(std::string_view name);

}  // namespace tidemill::iam

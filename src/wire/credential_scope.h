// Who signs a request, for which region and service: from the Authorization header of Signature Version 4 (and 4A), or
// from the query of a presigned URL. Signatures are not verified here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::wire {

struct CredentialScope {
  std::string access_key_id;
  std::string region;   // "" for version 4A, which signs for several
  std::string service;  // the signing name; some clients leave it empty
};

// Nothing for what is no signature of version 4: another scheme, or malformed.
std::optional<CredentialScope> parse_authorization(std::string_view header);
// Of a request's target, "/path?…&X-Amz-Credential=…". Nothing if it is not presigned.
std::optional<CredentialScope> parse_presigned(std::string_view target);
// "AKID/20260101/us-east-1/dynamodb/aws4_request", or without a region. A key id may contain slashes.
std::optional<CredentialScope> parse_credential(std::string_view credential);

// What may stand in ARNs and keys as a region: 1 to 32 of a-z, 0-9 and '-'.
[[nodiscard]] bool is_region_by_form(std::string_view text);
// Twelve digits.
[[nodiscard]] bool is_account(std::string_view text);

}  // namespace tidemill::wire

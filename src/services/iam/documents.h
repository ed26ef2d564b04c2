// Policy documents: their form is checked. They are kept as they came, but for whom trust policies name
// (engine/policy_principals.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::iam {

// What a policy grants to whom it is attached to, and what says who may assume a role.
enum class DocumentKind { identity, trust };

// Throws MalformedPolicyDocument.
void check_document(DocumentKind kind, std::string_view document);

// Of a managed policy, without white space.
inline constexpr size_t kPolicySizeMax = 6144;
// Throws LimitExceeded.
void check_policy_size(std::string_view document);

// As quotas count: without white space.
[[nodiscard]] size_t counted_size(std::string_view document);

// As answers carry it: percent-encoded, all but letters, digits and "-._~".
[[nodiscard]] std::string url_encoded(std::string_view document);

}  // namespace tidemill::iam

// Condition keys whose values stand in requests as members, as the models name them: aws:RequestTag/team and
// aws:TagKeys, S3's headers and tags of objects, KMS's encryption contexts, Secrets Manager's parameters.
#pragma once

#include <string>

#include "lang/policies/facts.h"
#include "rights/ask.h"
#include "wire/registry.h"

namespace tidemill::rights {

// `request` may be null: nothing is known of it.
void add_member_facts(const wire::OperationInfo& operation, const void* request, const Ask& ask,
                      lang::policies::Facts& facts);

// The id of the upload that the request adds to or ends; empty: of none.
[[nodiscard]] std::string upload_of(const wire::OperationInfo& operation, const void* request);

}  // namespace tidemill::rights

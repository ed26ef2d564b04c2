// Condition keys that only the request as a whole tells: dynamodb:LeadingKeys, dynamodb:Attributes, dynamodb:Select and
// their like.
#pragma once

#include "base/task.h"
#include "lang/policies/facts.h"
#include "rights/ask.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::rights {

// Of the part of the request that concerns the ask's resource. `request` may be null: nothing is known of it.
Task<void> add_facts(const wire::Context& context, const wire::OperationInfo& operation, const void* request,
                     const Ask& ask, lang::policies::Facts& facts);

// Top-level attributes that an expression names.
void add_names(std::string_view expression, const std::map<std::string, std::string>* names,
               lang::policies::Values& out);

}  // namespace tidemill::rights

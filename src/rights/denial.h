// "… is not authorized to perform: …": what AWS says to whom it denies something, in each service's form.
#pragma once

#include <string>

#include "lang/policies/decide.h"
#include "rights/actor.h"
#include "rights/ask.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::rights {

[[nodiscard]] std::string denial_message(const Actor& actor, const Ask& ask, const lang::policies::Decision& decision);

// As the clients of `operation` know it.
[[nodiscard]] wire::Error denial_error(const wire::OperationInfo& operation, std::string message);

}  // namespace tidemill::rights

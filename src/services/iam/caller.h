// The user of a request that names none.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::iam {

// `name`, or the user whose access key signed the request. Throws ValidationError if there is neither.
Task<std::string> user_meant(store::Snapshot& reader, const wire::Context& context, std::optional<std::string> name);

}  // namespace tidemill::iam

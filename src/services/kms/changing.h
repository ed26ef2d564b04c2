// The way of every operation that changes a key's record and nothing else.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "services/kms/key.h"
#include "services/kms/service.h"
#include "wire/context.h"

namespace tidemill::kms {

// `change` may be called more than once, each time with the key as it was. Throws what it does, and for keys that are not
// there or AWS's own.
Task<void> change_key(Service& service, wire::Context& context, std::string_view key_id, std::string_view operation,
                      std::function<void(Key&)> change);

}  // namespace tidemill::kms

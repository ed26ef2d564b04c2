// Which key a request means, and whether it may be used so.
#pragma once

#include <string>
#include <string_view>

#include "services/kms/key.h"
#include "services/kms/service.h"
#include "wire/context.h"

namespace tidemill::kms {

// "<id>" or its ARN: no alias. Throws NotFoundException, and AccessDeniedException for another account's.
[[nodiscard]] KeyAddress parse_key_id(const wire::Context& context, std::string_view text);

// Throws NotFoundException.
Task<Key> load_key(store::Snapshot& reader, KeyAddress address);

// The same, or an alias or its ARN. An alias of AWS's own ("alias/aws/ssm") and its key are made when they are first asked for.
Task<Key> resolve_key(Service& service, wire::Context& context, std::string text);

// Throws KMSInvalidStateException if the key is about to be deleted.
void require_kept(const Key& key);
// The same, and DisabledException.
void require_enabled(const Key& key);
// The same, and InvalidKeyUsageException. `operation`: "Encrypt".
void require_usable(const Key& key, std::string_view usage, std::string_view operation);
// Throws AccessDeniedException for a key of AWS's own, which its users do not change.
void require_customers(const Key& key, std::string_view operation);

}  // namespace tidemill::kms

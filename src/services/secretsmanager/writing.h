// How a new version of a secret comes to be, for CreateSecret, PutSecretValue and UpdateSecret.
#pragma once

#include <string>
#include <vector>

#include "services/secretsmanager/sealing.h"
#include "services/secretsmanager/service.h"

namespace tidemill::secretsmanager {

// The client's token, or a new id.
[[nodiscard]] std::string version_id(const std::optional<std::string>& token);

// Of a version that is there already under a client's token: nothing happens if it has the same value; else throws
// ResourceExistsException. True: it is there.
Task<bool> is_repeated(store::Store& store, wire::Context& caller, const Secret& secret, const std::string& version,
                       const Value& value);

// In the transaction that saves the secret.
void save_version(store::Transaction& txn, Secret& secret, const std::string& version, const SealedValue& sealed,
                  base::Time now, const std::vector<std::string>& stages);

}  // namespace tidemill::secretsmanager

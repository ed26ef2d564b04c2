// Versions and their labels, as they change: of a secret that is saved afterwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/secretsmanager/secret.h"

namespace tidemill::secretsmanager {

inline constexpr size_t kVersionsMax = 100;
inline constexpr size_t kStagesOfVersionMax = 20;

// Which labels a version has; empty: it is deprecated.
[[nodiscard]] std::vector<std::string> stages_of(const Secret& secret, std::string_view version);
// Versions with labels, and these, by their ids.
[[nodiscard]] std::map<std::string, std::vector<std::string>> versions_to_stages(const Secret& secret);

// The labels come to it from wherever they are. AWSPREVIOUS goes to the one that was AWSCURRENT; a secret's first version
// becomes AWSCURRENT whatever its labels are. Returns the versions that had
// to go for it: deprecated ones, the oldest first. Throws LimitExceededException.
[[nodiscard]] std::vector<std::string> add_version(Secret& secret, std::string id, base::Time now,
                                                   const std::vector<std::string>& stages);

// As UpdateSecretVersionStage says, with its errors.
void move_stage(Secret& secret, const std::string& stage, const std::optional<std::string>& from,
                const std::optional<std::string>& to);

}  // namespace tidemill::secretsmanager

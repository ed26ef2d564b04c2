#include "services/secretsmanager/versions.h"

#include <algorithm>

#include "base/text.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {
namespace {

using base::cat;
namespace errors = wire::secretsmanager::errors;

void set_stage(Secret& secret, const std::string& stage, const std::string& version) {
  if (stage == kCurrent) {
    const auto current = secret.stages.find(stage);
    if (current != secret.stages.end() && current->second != version) {
      secret.stages.insert_or_assign(std::string(kPrevious), current->second);
    }
    // What becomes current is not the one before, too.
    const auto previous = secret.stages.find(std::string(kPrevious));
    if (previous != secret.stages.end() && previous->second == version) secret.stages.erase(previous);
  }
  secret.stages.insert_or_assign(stage, version);
}

void check_stage_count(const Secret& secret, std::string_view version) {
  if (stages_of(secret, version).size() <= kStagesOfVersionMax) return;
  throw errors::limit_exceeded_exception(cat("A version has at most ", kStagesOfVersionMax, " staging labels."));
}

std::vector<std::string> drop_deprecated(Secret& secret) {
  std::vector<std::string> dropped;
  while (secret.versions.size() > kVersionsMax) {
    auto oldest = secret.versions.end();
    for (auto each = secret.versions.begin(); each != secret.versions.end(); ++each) {
      if (!stages_of(secret, each->first).empty()) continue;
      if (oldest == secret.versions.end() || each->second < oldest->second) oldest = each;
    }
    if (oldest == secret.versions.end()) {
      throw errors::limit_exceeded_exception(cat("A secret has at most ", kVersionsMax, " versions with staging labels."));
    }
    dropped.push_back(oldest->first);
    secret.versions.erase(oldest);
  }
  return dropped;
}

void require_version(const Secret& secret, const std::string& version) {
  if (secret.versions.contains(version)) return;
  throw errors::resource_not_found_exception(
      cat("Secrets Manager can't find the specified secret value for VersionId: ", version));
}

}  // namespace

std::vector<std::string> stages_of(const Secret& secret, std::string_view version) {
  std::vector<std::string> stages;
  for (const auto& [stage, id] : secret.stages) {
    if (id == version) stages.push_back(stage);
  }
  return stages;
}

std::map<std::string, std::vector<std::string>> versions_to_stages(const Secret& secret) {
  std::map<std::string, std::vector<std::string>> result;
  for (const auto& [stage, id] : secret.stages) result[id].push_back(stage);
  return result;
}

std::vector<std::string> add_version(Secret& secret, std::string id, base::Time now,
                                     const std::vector<std::string>& stages) {
  secret.versions.emplace(id, now);
  for (const std::string& stage : stages) set_stage(secret, stage, id);
  if (!secret.stages.contains(std::string(kCurrent))) set_stage(secret, std::string(kCurrent), id);
  check_stage_count(secret, id);
  secret.changed = now;
  return drop_deprecated(secret);
}

void move_stage(Secret& secret, const std::string& stage, const std::optional<std::string>& from,
                const std::optional<std::string>& to) {
  if (from) require_version(secret, *from);
  if (to) require_version(secret, *to);
  const auto found = secret.stages.find(stage);
  const std::string holder = found == secret.stages.end() ? "" : found->second;
  if (from && *from != holder) {
    throw errors::invalid_parameter_exception(
        cat("The parameter RemoveFromVersionId is not valid. Staging label ", stage, " is not attached to version ", *from,
            "."));
  }
  if (!to) {
    if (!from) {
      throw errors::invalid_parameter_exception("Specify MoveToVersionId, RemoveFromVersionId, or both.");
    }
    if (stage == kCurrent) {
      throw errors::invalid_parameter_exception(
          "You can only move staging label AWSCURRENT to a different secret version. It can't be completely removed.");
    }
    secret.stages.erase(stage);
    return;
  }
  if (!holder.empty() && holder != *to && !from) {
    throw errors::invalid_parameter_exception(
        cat("The parameter RemoveFromVersionId can't be empty. Staging label ", stage, " is currently attached to version ",
            holder, ", so you must explicitly reference that version in RemoveFromVersionId."));
  }
  set_stage(secret, stage, *to);
  check_stage_count(secret, *to);
}

}  // namespace tidemill::secretsmanager

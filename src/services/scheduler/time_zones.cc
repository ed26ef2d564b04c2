#include "services/scheduler/time_zones.h"

#include <algorithm>

#include "base/file.h"

namespace tidemill::scheduler {
namespace {

using lang::schedules::TimeZone;

// Beside zones the directory has other files, and names come from clients: no dots, so nothing above it, nor its
// tables.
bool is_zone_name(std::string_view name) {
  const auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
           c == '+' || c == '-';
  };
  return !name.empty() && name.front() != '/' && std::ranges::all_of(name, belongs);
}

}  // namespace

std::shared_ptr<const TimeZone> TimeZones::find(const std::string& name) {
  if (name == "UTC") return TimeZone::utc();
  if (!is_zone_name(name)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  std::error_code error;
  if (!std::filesystem::is_regular_file(directory_ / name, error)) return nullptr;
  auto zone = TimeZone::parse(base::read_file(directory_ / name));
  if (zone) known_.emplace(name, zone);
  return zone;
}

}  // namespace tidemill::scheduler

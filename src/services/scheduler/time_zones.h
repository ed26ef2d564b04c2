// The machine's time zones by their names, "Europe/Berlin", each read once.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lang/schedules/time_zone.h"

namespace tidemill::scheduler {

// Any thread.
class TimeZones {
 public:
  explicit TimeZones(std::filesystem::path directory = "/usr/share/zoneinfo") : directory_(std::move(directory)) {}

  // Null: there is none of this name.
  [[nodiscard]] std::shared_ptr<const lang::schedules::TimeZone> find(const std::string& name);

 private:
  const std::filesystem::path directory_;
  std::mutex mutex_;
  // Only those that exist: names that clients made up would fill it.
  std::map<std::string, std::shared_ptr<const lang::schedules::TimeZone>> known_;
};

}  // namespace tidemill::scheduler

#include "services/dynamodb/throughput_rules.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

namespace {

using std::chrono::days;

// What a new on-demand table takes at once (developer guide, "Warm throughput").
constexpr WarmThroughput kOnDemandInitial{.read_units = 12'000, .write_units = 4'000};

// As Java writes it: "Monday, October 10, 2022 at 1:00:19 PM Coordinated Universal Time".
std::string long_date(base::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto midnight = std::chrono::floor<days>(seconds);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(seconds - midnight);
  static constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
  static constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                                 "July",    "August",   "September", "October", "November", "December"};
  const auto hour = clock.hours().count();
  char time_of_day[16];
  std::snprintf(time_of_day, sizeof time_of_day, "%d:%02d:%02d %s", static_cast<int>(hour % 12 == 0 ? 12 : hour % 12),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                hour < 12 ? "AM" : "PM");
  return std::string(kWeekdays[std::chrono::weekday(midnight).c_encoding()]) + ", " +
         std::string(kMonths[unsigned(date.month()) - 1]) + " " + std::to_string(unsigned(date.day())) + ", " +
         std::to_string(int(date.year())) + " at " + time_of_day + " Coordinated Universal Time";
}

void count_decrease(Throughput& current, base::Time now) {
  const int64_t today = decreases_today(current, now);
  if (today >= kDecreasesPerDay && now < *current.last_decrease + kDecreaseInterval) {
    throw wire::dynamodb::errors::limit_exceeded_exception(
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first " +
        std::to_string(kDecreasesPerDay) +
        " decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number "
        "of decreases today: " +
        std::to_string(today) + ". Last decrease at " + long_date(*current.last_decrease) +
        ". Next decrease can be made at " + long_date(*current.last_decrease + kDecreaseInterval));
  }
  current.decreases_today = today + 1;
  current.last_decrease = now;
}

}  // namespace

void check_bounds(const std::optional<wire::dynamodb::ProvisionedThroughput>& throughput, std::string_view index) {
  if (!throughput) return;
  const auto check = [&](int64_t units, std::string_view name) {
    if (units <= kThroughputUnitsMax) return;
    throw validation(base::cat("Given value ", units, " for ", name, " is out of bounds",
                               index.empty() ? "" : base::cat(" for index ", index)));
  };
  check(throughput->read_capacity_units, "ReadCapacityUnits");
  check(throughput->write_capacity_units, "WriteCapacityUnits");
}

int64_t decreases_today(const Throughput& throughput, base::Time now) {
  const bool same_day =
      throughput.last_decrease && std::chrono::floor<days>(*throughput.last_decrease) == std::chrono::floor<days>(now);
  return same_day ? throughput.decreases_today : 0;
}

void change_throughput(Throughput& current, int64_t read_units, int64_t write_units, base::Time now,
                       std::string_view what) {
  if (read_units == current.read_units && write_units == current.write_units) {
    const auto part = [&](const std::string& unit, int64_t units) {
      return " Current " + unit + " provisioned for the " + std::string(what) + ": " + std::to_string(units) +
             ". Requested " + unit + ": " + std::to_string(units) + ".";
    };
    throw validation(
        "The provisioned throughput for the " + std::string(what) +
        " will not change. The requested value equals the current value." +
        part("ReadCapacityUnits", read_units) + part("WriteCapacityUnits", write_units) +
        " Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
  }
  if (read_units < current.read_units || write_units < current.write_units) count_decrease(current, now);
  if (read_units > current.read_units || write_units > current.write_units) current.last_increase = now;
  current.read_units = read_units;
  current.write_units = write_units;
}

WarmThroughput initial_warm_throughput(bool on_demand, const Throughput& provisioned) {
  if (on_demand) return kOnDemandInitial;
  return {.read_units = provisioned.read_units, .write_units = provisioned.write_units};
}

WarmThroughput current_warm_throughput(const std::optional<WarmThroughput>& given, WarmThroughput initial) {
  const WarmThroughput warm = given.value_or(initial);
  return {.read_units = std::max(warm.read_units, initial.read_units),
          .write_units = std::max(warm.write_units, initial.write_units)};
}

namespace {

void raise_warm_throughput(std::optional<WarmThroughput>& current, const wire::dynamodb::WarmThroughput& wanted,
                           bool on_demand, const Throughput& provisioned, const std::string& what) {
  const WarmThroughput least = current_warm_throughput(current, initial_warm_throughput(on_demand, provisioned));
  const auto check = [&](std::optional<int64_t> units, int64_t units_min, const std::string& unit,
                         const std::string& capacity) {
    if (!units || *units >= units_min) return;
    throw invalid_parameters("Requested " + unit + " for WarmThroughput for " + what + " is lower than " +
                             (current     ? "current WarmThroughput, decreasing WarmThroughput is not supported"
                              : on_demand ? "initial throughput for OnDemand"
                                          : capacity + " of ProvisionedThroughput"));
  };
  check(wanted.read_units_per_second, least.read_units, "ReadUnitsPerSecond", "ReadCapacityUnits");
  check(wanted.write_units_per_second, least.write_units, "WriteUnitsPerSecond", "WriteCapacityUnits");
  current = WarmThroughput{.read_units = wanted.read_units_per_second.value_or(least.read_units),
                           .write_units = wanted.write_units_per_second.value_or(least.write_units)};
}

}  // namespace

void set_warm_throughput(Table& table, const wire::dynamodb::WarmThroughput& wanted) {
  raise_warm_throughput(table.features.warm_throughput, wanted, table.on_demand, table.throughput, "table");
}

void set_warm_throughput(const Table& table, Index& index, const wire::dynamodb::WarmThroughput& wanted) {
  raise_warm_throughput(index.warm_throughput, wanted, table.on_demand, index.throughput, "index: " + index.name);
}

}  // namespace tidemill::dynamodb

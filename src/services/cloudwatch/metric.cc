#include "services/cloudwatch/metric.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.h"
#include "services/cloudwatch/errors.h"

namespace tidemill::cloudwatch {
namespace {

constexpr std::array<std::string_view, kUnitNumberMax + 1> kUnits = {
    "None",           "Seconds",          "Microseconds",     "Milliseconds",     "Bytes",           "Kilobytes",
    "Megabytes",      "Gigabytes",        "Terabytes",        "Bits",             "Kilobits",        "Megabits",
    "Gigabits",       "Terabits",         "Percent",          "Count",            "Bytes/Second",    "Kilobytes/Second",
    "Megabytes/Second", "Gigabytes/Second", "Terabytes/Second", "Bits/Second",    "Kilobits/Second", "Megabits/Second",
    "Gigabits/Second", "Terabits/Second", "Count/Second"};

}  // namespace

DimensionList dimensions_of(const std::optional<std::vector<shapes::Dimension>>& dimensions,
                            std::string_view parameter) {
  DimensionList result;
  if (!dimensions) return result;
  if (dimensions->size() > kDimensionsMax) throw collection_too_large(parameter, kDimensionsMax);
  for (const shapes::Dimension& dimension : *dimensions) {
    if (dimension.name.starts_with(':')) throw invalid_value(base::cat(parameter, ".Name"), dimension.name);
    result.emplace_back(dimension.name, dimension.value);
  }
  std::ranges::sort(result);
  const auto same = std::ranges::adjacent_find(result, {}, &DimensionList::value_type::first);
  if (same != result.end()) {
    throw errors::invalid_parameter_value_exception(
        base::cat("The collection ", parameter, " has the dimension ", same->first, " more than once."));
  }
  return result;
}

std::vector<shapes::Dimension> shown(const DimensionList& dimensions) {
  std::vector<shapes::Dimension> result;
  for (const auto& [name, value] : dimensions) result.push_back({.name = name, .value = value});
  return result;
}

UnitNumber number_of_unit(std::string_view unit) {
  const auto* found = std::ranges::find(kUnits, unit);
  if (found == kUnits.end()) throw std::out_of_range("no such unit");
  return static_cast<UnitNumber>(found - kUnits.begin());
}

std::string_view unit_of_number(UnitNumber number) { return kUnits.at(number); }

}  // namespace tidemill::cloudwatch

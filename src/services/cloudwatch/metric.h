// What names a metric, and in which units its values come.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/shapes/cloudwatch.h"

namespace tidemill::cloudwatch {

namespace shapes = wire::cloudwatch;

inline constexpr size_t kDimensionsMax = 30;

// In the order of their names.
using DimensionList = std::vector<std::pair<std::string, std::string>>;

struct MetricId {
  std::string account;
  std::string region;
  std::string name_space;
  std::string name;
  DimensionList dimensions;
  auto operator<=>(const MetricId&) const = default;
};

// Throws InvalidParameterValue; `parameter` is how the message calls them.
[[nodiscard]] DimensionList dimensions_of(const std::optional<std::vector<shapes::Dimension>>& dimensions,
                                          std::string_view parameter);
[[nodiscard]] std::vector<shapes::Dimension> shown(const DimensionList& dimensions);

// Values of one metric in two units are two series. "None" is what comes without a unit.
using UnitNumber = uint8_t;
inline constexpr std::string_view kNoUnit = "None";
inline constexpr UnitNumber kUnitNumberMax = 26;
// Stored: numbers never change. Throws std::out_of_range for what is no unit.
[[nodiscard]] UnitNumber number_of_unit(std::string_view unit);
[[nodiscard]] std::string_view unit_of_number(UnitNumber number);

}  // namespace tidemill::cloudwatch

#include "services/ssm/filters.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tidemill::ssm {
namespace {

using base::cat;
using wire::ssm::ParameterStringFilter;
namespace errors = wire::ssm::errors;

constexpr std::string_view kTagPrefix = "tag:";

bool is_known_key(FilterUse use, std::string_view key) {
  if (key == "Type" || key == "KeyId") return true;
  if (use == FilterUse::by_path) return false;
  return key == "Path" || key == "Name" || key == "Tier" || key.starts_with(kTagPrefix);
}

void check_option(const ParameterStringFilter& filter) {
  const std::string option = filter.option.value_or("");
  if (option.empty()) return;
  const bool of_path = option == "Recursive" || option == "OneLevel";
  const bool of_names = option == "Equals" || option == "BeginsWith" || (option == "Contains" && filter.key == "Name");
  if (filter.key == "Path" ? of_path : of_names) return;
  throw errors::invalid_filter_option(
      cat("The following filter option is not valid: ", option, ". Valid options include: ",
          filter.key == "Path" ? "[Recursive, OneLevel]." : "[BeginsWith, Equals]."));
}

void check_values(const ParameterStringFilter& filter) {
  constexpr std::array<std::string_view, 3> kTypes{"String", "StringList", "SecureString"};
  if (!filter.values && !filter.key.starts_with(kTagPrefix)) {
    throw errors::invalid_filter_value(cat("The filter ", filter.key, " needs values."));
  }
  if (filter.key != "Type") return;
  for (const std::string& value : *filter.values) {
    if (std::ranges::find(kTypes, value) != kTypes.end()) continue;
    throw errors::invalid_filter_value(cat("The following filter value is not valid: ", value,
                                           ". Valid values include: [String, StringList, SecureString]."));
  }
}

bool fits(std::string_view text, const ParameterStringFilter& filter, std::string_view value) {
  const std::string option = filter.option.value_or("Equals");
  if (option == "BeginsWith") return text.starts_with(value);
  if (option == "Contains") return text.find(value) != std::string_view::npos;
  return text == value;
}

bool fits_any(std::string_view text, const ParameterStringFilter& filter) {
  return std::ranges::any_of(*filter.values, [&](const std::string& value) { return fits(text, filter, value); });
}

bool fits(const ParameterStringFilter& filter, const Parameter& parameter) {
  if (filter.key == "Type") return fits_any(parameter.type, filter);
  if (filter.key == "Name") return fits_any(parameter.address.name, filter);
  if (filter.key == "Tier") return fits_any(wire::ssm::ParameterTier::kStandard, filter);
  if (filter.key == "Path") {
    const bool recursive = filter.option == "Recursive";
    return std::ranges::any_of(*filter.values, [&](const std::string& path) {
      return is_below(path, parameter.address.name, recursive);
    });
  }
  if (filter.key == "KeyId") return parameter.key_id && fits_any(*parameter.key_id, filter);
  const auto tag = parameter.tags.find(filter.key.substr(kTagPrefix.size()));
  return tag != parameter.tags.end() && (!filter.values || fits_any(tag->second, filter));
}

}  // namespace

void check_filters(FilterUse use, const Filters& filters) {
  if (!filters) return;
  for (const ParameterStringFilter& filter : *filters) {
    if (!is_known_key(use, filter.key)) {
      throw errors::invalid_filter_key(
          cat("The following filter key is not valid: ", filter.key, ". Valid filter keys include: ",
              use == FilterUse::by_path ? "[Type, KeyId]." : "[Path, Name, Type, KeyId, Tier]."));
    }
    check_option(filter);
    check_values(filter);
  }
}

bool is_wanted(const Filters& filters, const Parameter& parameter) {
  return !filters || std::ranges::all_of(*filters, [&](const auto& filter) { return fits(filter, parameter); });
}

bool is_below(std::string_view path, std::string_view name, bool recursive) {
  const size_t size = path.ends_with('/') ? path.size() - 1 : path.size();
  if (name.size() <= size + 1 || !name.starts_with(path.substr(0, size)) || name[size] != '/') return false;
  return recursive || name.find('/', size + 1) == std::string_view::npos;
}

}  // namespace tidemill::ssm

// The search parameters of FHIR R4 that Tidemill knows: of each type, what a parameter is called, how it compares and
// where in the resource it looks. Those of the types that export workflows use most; other types have the common ones.
#pragma once

#include <span>
#include <string_view>

namespace tidemill::lang::fhir {

enum class ParameterKind { token, string, reference, date, number, quantity, uri };

// "token" and so on.
[[nodiscard]] std::string_view name_of(ParameterKind kind);

struct SearchParameter {
  std::string_view name;
  ParameterKind kind;
  // Paths of elements, with '|' between them: "name.family|name.given". "telecom[system=email]" means only those whose
  // system is email; "deceasedDateTime?" means true where there is one.
  std::string_view paths;
  // Of references: only those to this type, "" any.
  std::string_view target = {};
};

// Those of a type, sorted by name; empty for types without any of their own.
[[nodiscard]] std::span<const SearchParameter> parameters_of(std::string_view resource_type);
// Those that all types have, beside _id and _lastUpdated.
[[nodiscard]] std::span<const SearchParameter> common_parameters();
// Of either; nullptr: there is none.
[[nodiscard]] const SearchParameter* find_parameter(std::string_view resource_type, std::string_view name);

// The types that have parameters of their own, sorted.
[[nodiscard]] std::span<const std::string_view> types_with_parameters();

}  // namespace tidemill::lang::fhir

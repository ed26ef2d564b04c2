// A search of one type of resources, parsed and checked: what is left is to read resources and to ask matches().
//
//   const SearchQuery query = SearchQuery::parse("Patient", parameters, Handling::strict);   // throws SearchError
//   if (query.matches(resource, last_updated)) …
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "lang/fhir/search_parameters.h"
#include "lang/fhir/time_range.h"

namespace tidemill::lang::fhir {

// Of a query string or a form: the values of each name, in order.
using Parameters = std::map<std::string, std::vector<std::string>>;

// What becomes of parameters that nobody knows: an error, or nothing (FHIR's Prefer: handling=…).
enum class Handling { strict, lenient };

// Results of a page.
inline constexpr int kCountDefault = 100;
inline constexpr int kCountMax = 100;
// Parameters of a search, and values of one of them.
inline constexpr size_t kFiltersMax = 100;
inline constexpr size_t kAlternativesMax = 500;

class SearchError : public std::runtime_error {
 public:
  SearchError(std::string issue, const std::string& message) : std::runtime_error(message), issue_(std::move(issue)) {}
  // Of FHIR's issue-type: "invalid", "not-supported".
  [[nodiscard]] const std::string& issue() const { return issue_; }

 private:
  std::string issue_;
};

enum class Modifier { none, missing, exact, contains, is_not, identifier, type };

// One of the values of a parameter.
struct Alternative {
  std::string text;                   // as it was, with escapes taken off
  std::optional<std::string> system;  // tokens: of "system|code"; "" of "|code"
  std::string code;                   // tokens; "" of "system|": any
  Prefix prefix = Prefix::eq;
  TimeRange time{};      // dates
  double number = 0;     // numbers and quantities
  double precision = 0;  // half of the last digit
};

// A parameter: a resource has to meet one of the alternatives.
struct Filter {
  const SearchParameter* parameter = nullptr;
  Modifier modifier = Modifier::none;
  std::string type;  // of Modifier::type
  std::vector<Alternative> alternatives;
};

struct SearchQuery {
  static SearchQuery parse(std::string_view resource_type, const Parameters& parameters, Handling handling);

  // A resource of the type, which was updated at `last_updated` (whole milliseconds).
  [[nodiscard]] bool matches(const json::Value& resource, base::Time last_updated) const;

  // The ids that may match, sorted; nothing: any.
  std::optional<std::vector<std::string>> ids;
  // What matches was updated in this range at most.
  TimeRange updated{kBeginningOfTime, kEndOfTime};
  std::vector<std::vector<Alternative>> updated_filters;
  std::vector<Filter> filters;
  int count = kCountDefault;  // 0 to kCountMax
  bool only_total = false;    // _summary=count
  bool with_total = false;
  std::string page;               // where this page begins: what the link of the last one said; "": at the beginning
  std::vector<std::string> used;  // the names that count, for the link of the page itself
};

// The values at `paths` (SearchParameter::paths) in a resource, arrays taken apart.
void visit_paths(const json::Value& resource, std::string_view paths,
                 const std::function<void(const json::Value& value)>& visit);

[[nodiscard]] bool matches_filter(const json::Value& resource, const Filter& filter);

}  // namespace tidemill::lang::fhir

// The first line is a type of resources, the second a query of name=value&…, the rest a resource: whatever they are, no
// more than an error comes of it.
#include <algorithm>
#include <cstdint>

#include "lang/fhir/search_query.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto take_until = [](std::string_view& rest, char end) {
    const std::string_view part = rest.substr(0, rest.find(end));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
  };
  const std::string_view type = take_until(text, '\n');
  std::string_view query = take_until(text, '\n');
  lang::fhir::Parameters parameters;
  while (!query.empty()) {
    std::string_view pair = take_until(query, '&');
    const std::string_view name = take_until(pair, '=');
    parameters[std::string(name)].emplace_back(pair);
  }
  const auto resource = json::parse(text);
  try {
    const auto parsed = lang::fhir::SearchQuery::parse(type, parameters, lang::fhir::Handling::lenient);
    if (resource) (void)parsed.matches(*resource, base::Time());
  } catch (const lang::fhir::SearchError&) {
  }
  return 0;
}

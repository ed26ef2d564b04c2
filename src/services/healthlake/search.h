// Finding the resources of a page of a search. Which way it goes depends on the query: ids are looked up, a range of
// _lastUpdated is read from the index by time, and only without either are all resources of the type looked through.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/fhir/search_query.h"
#include "services/healthlake/datastore.h"
#include "store/store.h"

namespace tidemill::healthlake {

// Of the resources of one page.
inline constexpr size_t kSearchPageBytesMax = 4 << 20;

struct Found {
  std::string id;
  std::string json;
};

struct SearchPage {
  std::vector<Found> resources;
  std::string next;               // SearchQuery::page of the next one; empty: this is the last
  std::optional<uint64_t> total;  // if the query asks for it
};

// Throws 400 for a page that no search has given.
Task<SearchPage> find_resources(store::Snapshot& snapshot, const Datastore& datastore, std::string_view type,
                                const lang::fhir::SearchQuery& query);

// A searchset, as clients read it.
[[nodiscard]] std::string write_searchset(std::string_view base_url, std::string_view type,
                                          const lang::fhir::Parameters& parameters,
                                          const lang::fhir::SearchQuery& query, const SearchPage& page);

// Parses the parameters, finds a page and writes it.
Task<std::string> search(store::Snapshot& snapshot, const Datastore& datastore, std::string_view base_url,
                         std::string_view type, const lang::fhir::Parameters& parameters,
                         lang::fhir::Handling handling);

}  // namespace tidemill::healthlake

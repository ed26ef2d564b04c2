// Refusals that several operations share: of the native API as exceptions, of FHIR's as issues of an OperationOutcome
// (the code is one of FHIR's issue-type).
#pragma once

#include <string_view>

#include "lang/fhir/search_query.h"
#include "wire/error.h"
#include "wire/shapes/healthlake.h"

namespace tidemill::healthlake {

namespace errors = wire::healthlake::errors;

[[nodiscard]] wire::Error invalid(std::string_view what);
[[nodiscard]] wire::Error no_datastore(std::string_view id);
[[nodiscard]] wire::Error no_job(std::string_view id);

namespace fhir {

[[nodiscard]] wire::Error invalid(std::string_view what);        // 400
[[nodiscard]] wire::Error not_supported(std::string_view what);  // 400: FHIR has it, Tidemill lacks it
[[nodiscard]] wire::Error unknown_type(std::string_view type);   // 404
[[nodiscard]] wire::Error not_found(std::string_view what);      // 404: "Patient/1"
[[nodiscard]] wire::Error deleted(std::string_view what);        // 410
[[nodiscard]] wire::Error other_version(std::string_view what);  // 412: If-Match names another
[[nodiscard]] wire::Error of_search(const lang::fhir::SearchError& error);
// The same as a refusal of the native API, in FHIR's words.
[[nodiscard]] wire::Error of_native(const wire::Error& error);

}  // namespace fhir

}  // namespace tidemill::healthlake

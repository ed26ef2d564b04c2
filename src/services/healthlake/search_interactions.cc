// Searches of a type, with the parameters in the URL or in a form.
#include <algorithm>

#include "base/text.h"
#include "net/http.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/search.h"

namespace tidemill::healthlake {

namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::ptrdiff_t kParametersMax = 1'000;  // in a form; as strings they take fifty times its text

lang::fhir::Handling handling_of(const std::optional<std::string>& prefer) {
  return prefers(prefer, "handling=lenient") ? lang::fhir::Handling::lenient : lang::fhir::Handling::strict;
}

Task<rest::FhirAnswer> answer_search(Service& service, wire::Context& context, const std::string& datastore_id,
                                     const std::string& type, const lang::fhir::Parameters& parameters,
                                     const std::optional<std::string>& prefer) {
  check_type(type);
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await active_datastore(*snapshot, context, datastore_id);
  rest::FhirAnswer out;
  out.body =
      co_await search(*snapshot, datastore, base_url(context, datastore_id), type, parameters, handling_of(prefer));
  co_return out;
}

}  // namespace

Task<rest::FhirAnswer> fhir_search(Service& service, wire::Context& context, const rest::FhirSearchInput& request) {
  const lang::fhir::Parameters parameters = request.parameters.value_or(lang::fhir::Parameters());
  co_return co_await answer_search(service, context, request.datastore_id, request.resource_type, parameters,
                                   request.prefer);
}

Task<rest::FhirAnswer> fhir_search_by_post(Service& service, wire::Context& context,
                                           const rest::FhirSearchByPostInput& request) {
  lang::fhir::Parameters parameters = request.parameters.value_or(lang::fhir::Parameters());
  const bool has_body = request.body && !request.body->empty();
  if (has_body && !parameters.empty()) {
    throw fhir::invalid("The parameters of a search stand in the URL or in the body, not in both");
  }
  if (has_body) {
    constexpr int kUnsupportedMediaType = 415;
    const std::string content_type = request.content_type.value_or(std::string(kForm));
    if (!content_type.starts_with(kForm)) {
      throw wire::Error("not-supported", kUnsupportedMediaType,
                        base::cat("Tidemill does not support searches in ", content_type));
    }
    if (std::ranges::count(*request.body, '&') >= kParametersMax) {
      throw fhir::invalid(base::cat("A search has at most ", kParametersMax, " parameters"));
    }
    for (auto& [name, value] : net::parse_query("?" + *request.body)) parameters[name].push_back(std::move(value));
  }
  co_return co_await answer_search(service, context, request.datastore_id, request.resource_type, parameters,
                                   request.prefer);
}

}  // namespace tidemill::healthlake

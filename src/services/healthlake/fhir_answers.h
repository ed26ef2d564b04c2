// Answers to FHIR's clients: URLs, headers and the bundles of many resources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "services/healthlake/datastore.h"
#include "services/healthlake/resource_record.h"
#include "services/healthlake/resource_writes.h"
#include "wire/context.h"
#include "wire/shapes/healthlakefhir.h"

namespace tidemill::healthlake {

// "http://127.0.0.1:4566/datastore/<id>/r4": as on AWS, at this server.
[[nodiscard]] std::string base_url(const wire::Context& context, std::string_view datastore_id);

// The data store of a request, which must be active. Throws 404, or 400 while it is made or deleted.
Task<Datastore> active_datastore(store::Snapshot& reader, const wire::Context& context, std::string_view id);

// Throws 404 for what is no type, 400 for what is no id (as "$everything").
void check_type(std::string_view type);
void check_id(std::string_view id);

// 200 with the resource; `id` as "Patient/1". Throws 410 if it has been deleted.
[[nodiscard]] wire::healthlakefhir::FhirAnswer answer_of(const ResourceRecord& record, std::string_view id);
// 201 or 200 with the resource, or without it if `prefer` says return=minimal.
[[nodiscard]] wire::healthlakefhir::FhirAnswer answer_of(const wire::Context& context, std::string_view datastore_id,
                                                         const Written& written,
                                                         const std::optional<std::string>& prefer);

// Whether a Prefer header says so: "handling=lenient" of "return=minimal; handling=lenient".
[[nodiscard]] bool prefers(const std::optional<std::string>& header, std::string_view preference);

// "_count=2&name=J%C3%BCrgen": each name and value escaped.
void append_parameter(std::string& out, std::string_view name, std::string_view value);

}  // namespace tidemill::healthlake

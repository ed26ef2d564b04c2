#include "services/healthlake/fhir_answers.h"

#include "base/text.h"
#include "lang/fhir/resource_types.h"
#include "services/healthlake/errors.h"

namespace tidemill::healthlake {

using base::cat;
using wire::healthlakefhir::FhirAnswer;

namespace {

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kPlain = "-._~:/,$@";
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain)
      out.push_back(c);
    else
      out.append("%").append(base::hex(static_cast<unsigned char>(c), 2));
  }
}

}  // namespace

std::string base_url(const wire::Context& context, std::string_view datastore_id) {
  return cat(context.endpoint, "/datastore/", datastore_id, "/r4");
}

Task<Datastore> active_datastore(store::Snapshot& reader, const wire::Context& context, std::string_view id) {
  namespace Status = wire::healthlake::DatastoreStatus;
  auto datastore = co_await find_datastore(reader, {context.account, context.region, std::string(id)});
  if (!datastore || datastore->status == Status::kDeleted) throw fhir::not_found(cat("data store ", id));
  if (datastore->status != Status::kActive) throw fhir::invalid(cat("The data store is ", datastore->status));
  co_return *std::move(datastore);
}

void check_type(std::string_view type) {
  if (type.starts_with('$')) throw fhir::not_supported(cat("the operation ", type));
  if (!lang::fhir::is_resource_type(type)) throw fhir::unknown_type(type);
}

void check_id(std::string_view id) {
  if (id.starts_with('$') || id.starts_with('_')) throw fhir::not_supported(cat("the operation ", id));
  if (!lang::fhir::is_resource_id(id)) throw fhir::invalid("An id has 1 to 64 letters, digits, '-' and '.'");
}

FhirAnswer answer_of(const ResourceRecord& record, std::string_view id) {
  if (record.deleted) throw fhir::deleted(id);
  FhirAnswer out;
  out.e_tag = tag_of_version(record.version);
  out.last_modified = record.updated;
  out.body = std::string(record.json);
  return out;
}

FhirAnswer answer_of(const wire::Context& context, std::string_view datastore_id, const Written& written,
                     const std::optional<std::string>& prefer) {
  FhirAnswer out;
  out.status = written.created ? 201 : 200;
  out.location =
      cat(base_url(context, datastore_id), "/", written.type, "/", written.id, "/_history/", written.version);
  out.e_tag = tag_of_version(written.version);
  out.last_modified = written.updated;
  if (!prefers(prefer, "return=minimal")) out.body = written.json;
  return out;
}

bool prefers(const std::optional<std::string>& header, std::string_view preference) {
  std::string_view rest = header ? std::string_view(*header) : std::string_view();
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find_first_of(";,"));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (part == preference) return true;
  }
  return false;
}

void append_parameter(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out.push_back('&');
  append_escaped(out, name);
  out.push_back('=');
  append_escaped(out, value);
}

}  // namespace tidemill::healthlake

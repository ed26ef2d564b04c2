#include "services/healthlake/bundle.h"

#include <map>
#include <set>

#include "base/text.h"
#include "base/uuid.h"
#include "net/http.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/fhir_answers.h"
#include "services/healthlake/resource_body.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

std::string text_member(const json::Value* value, std::string_view name) {
  const json::Value* found = value ? value->find(name) : nullptr;
  return found && found->is_string() ? found->string() : std::string();
}

// "Patient", "Patient/1", "Patient?name=x"; of whole URLs what follows "/r4/".
std::string_view relative(std::string_view url) {
  constexpr std::string_view kRoot = "/r4/";
  const size_t root = url.find("://") == std::string_view::npos ? std::string_view::npos : url.find(kRoot);
  if (root != std::string_view::npos) url.remove_prefix(root + kRoot.size());
  if (url.starts_with('/')) url.remove_prefix(1);
  return url;
}

void read_url(const std::string& method, std::string_view url, BundleEntry& entry) {
  const std::string_view path = url.substr(0, url.find('?'));
  const bool has_query = path.size() != url.size();
  const size_t slash = path.find('/');
  entry.type = path.substr(0, slash);
  check_type(entry.type);
  const bool has_id = slash != std::string_view::npos;
  if (has_id) {
    entry.id = path.substr(slash + 1);
    if (entry.id.find('/') != std::string::npos) throw fhir::not_supported(cat("the URL ", url, " in a bundle"));
    check_id(entry.id);
  }
  if (method == "GET") {
    entry.action = has_id ? BundleAction::read : BundleAction::search;
    if (has_id && has_query) throw fhir::not_supported(cat("the URL ", url, " in a bundle"));
    for (auto& [name, value] : net::parse_query(url)) entry.parameters[name].push_back(std::move(value));
    return;
  }
  if (has_query) throw fhir::not_supported(cat("the conditional URL ", url, " in a bundle"));
  if (method == "POST") {
    if (has_id) throw fhir::invalid(cat("A POST names a type instead of ", url));
    entry.action = BundleAction::create;
    entry.id = base::new_uuid();
    return;
  }
  if (!has_id) throw fhir::invalid(cat("A ", method, " names a resource instead of ", url));
  entry.action = method == "PUT" ? BundleAction::update : BundleAction::remove;
}

void read_resource(const json::Value& document, BundleEntry& entry) {
  const bool writes = entry.action == BundleAction::create || entry.action == BundleAction::update;
  const json::Value* resource = document.find("resource");
  if (!writes) return;
  if (!resource) throw fhir::invalid("An entry that creates or updates has no resource");
  check_resource(*resource, entry.type);
  if (entry.action == BundleAction::update && id_of(*resource) != entry.id) {
    throw fhir::invalid(cat("The id of the resource must be ", entry.id, ", as in the URL"));
  }
  entry.resource = *resource;
}

void read_entry(const json::Value& document, BundleEntry& entry) {
  const json::Value* request = document.find("request");
  if (!request || !request->is_object()) throw fhir::invalid("An entry has no request");
  for (const std::string_view name : {"ifNoneExist", "ifNoneMatch", "ifModifiedSince"}) {
    if (request->find(name)) throw fhir::not_supported(cat(name, " in a bundle"));
  }
  const std::string method = text_member(request, "method");
  if (method == "PATCH" || method == "HEAD") throw fhir::not_supported(cat("the method ", method, " in a bundle"));
  if (method != "GET" && method != "POST" && method != "PUT" && method != "DELETE") {
    throw fhir::invalid(cat("An entry has the method ", method.empty() ? "(none)" : method));
  }
  entry.full_url = text_member(&document, "fullUrl");
  const std::string url = text_member(request, "url");
  read_url(method, relative(url), entry);
  const std::string tag = text_member(request, "ifMatch");
  if (!tag.empty()) entry.expected = version_of_tag(tag);
  read_resource(document, entry);
}

// ---- References within a transaction ----

using References = std::map<std::string, std::string>;  // "urn:uuid:…" -> "Patient/1"

References references_of(const std::vector<BundleEntry>& entries) {
  References found;
  for (const BundleEntry& entry : entries) {
    const bool writes = entry.action == BundleAction::create || entry.action == BundleAction::update;
    if (!writes || entry.full_url.empty()) continue;
    const bool is_new = found.emplace(entry.full_url, cat(entry.type, "/", entry.id)).second;
    if (!is_new) throw fhir::invalid(cat("Two entries have the fullUrl ", entry.full_url));
  }
  return found;
}

constexpr std::string_view kUrn = "urn:uuid:";

void resolve(json::Value& value, const References& references, bool is_reference) {
  if (value.is_string()) {
    const auto found = references.find(value.string());
    if (found != references.end() && (is_reference || value.string().starts_with(kUrn))) {
      value = json::Value(found->second);
    } else if (is_reference && value.string().starts_with(kUrn)) {
      throw fhir::invalid(cat("The reference ", value.string(), " is to none of the bundle's entries"));
    }
  } else if (value.is_array()) {
    for (json::Value& each : value.array()) resolve(each, references, is_reference);
  } else if (value.is_object()) {
    for (auto& [name, inner] : value.object()) resolve(inner, references, name == "reference");
  }
}

void check_once(const std::vector<BundleEntry>& entries) {
  std::set<std::string> written;
  for (const BundleEntry& entry : entries) {
    if (entry.action == BundleAction::read || entry.action == BundleAction::search) continue;
    const std::string name = cat(entry.type, "/", entry.id);
    if (!written.insert(name).second) throw fhir::invalid(cat("A transaction writes ", name, " twice"));
  }
}

void prepare_transaction(std::vector<BundleEntry>& entries) {
  check_once(entries);
  const References references = references_of(entries);
  for (BundleEntry& entry : entries) {
    if (entry.action == BundleAction::search) throw fhir::not_supported("searches in a transaction");
    resolve(entry.resource, references, false);
  }
}

}  // namespace

Bundle read_bundle(const json::Value& document) {
  if (!document.is_object() || type_of(document) != "Bundle") throw fhir::invalid("The body is no Bundle");
  const std::string type = text_member(&document, "type");
  if (type != "batch" && type != "transaction") {
    throw fhir::invalid(
        cat("The Bundle is of type ", type.empty() ? "(none)" : type, " instead of batch or transaction"));
  }
  Bundle bundle{.is_transaction = type == "transaction"};
  const json::Value* entries = document.find("entry");
  if (!entries) return bundle;
  if (!entries->is_array()) throw fhir::invalid("The entries of a Bundle are a list");
  if (entries->array().size() > kBundleEntriesMax) {
    throw fhir::invalid(cat("A Bundle has at most ", kBundleEntriesMax, " entries"));
  }
  for (const json::Value& each : entries->array()) {
    BundleEntry& entry = bundle.entries.emplace_back();
    try {
      read_entry(each, entry);
    } catch (const wire::Error& error) {
      if (bundle.is_transaction) throw;
      entry.refusal = error;
    }
  }
  if (bundle.is_transaction) prepare_transaction(bundle.entries);
  return bundle;
}

}  // namespace tidemill::healthlake

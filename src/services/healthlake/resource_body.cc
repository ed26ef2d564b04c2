#include "services/healthlake/resource_body.h"

#include <algorithm>

#include "base/text.h"
#include "lang/fhir/resource_types.h"
#include "services/healthlake/errors.h"

namespace tidemill::healthlake {

using base::cat;

namespace {

constexpr std::string_view kJsonTypes[] = {"application/fhir+json", "application/json", "text/json",
                                           "application/json+fhir"};

bool is_json_type(std::string_view content_type) {
  std::string plain(content_type.substr(0, content_type.find(';')));
  while (plain.ends_with(' ')) plain.pop_back();
  std::ranges::transform(plain, plain.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return std::ranges::find(kJsonTypes, plain) != std::end(kJsonTypes);
}

// Where a value stands in a resource. Its text is made for refusals only: names may be as long as the body.
struct Path {
  const Path* parent;  // null: of the resource itself
  std::string_view name;

  [[nodiscard]] std::string text() const { return parent ? cat(parent->text(), ".", name) : std::string(name); }
};

// FHIR's JSON has no empty values; null stands in lists only, for elements that have nothing but extensions.
void check_values(const json::Value& value, const Path& path, bool in_list) {
  if (value.is_null() && !in_list) throw fhir::invalid(cat("The element ", path.text(), " is null"));
  if (value.is_string() && value.string().empty()) throw fhir::invalid(cat("The element ", path.text(), " is empty"));
  if (value.is_array()) {
    if (value.array().empty()) throw fhir::invalid(cat("The list ", path.text(), " is empty"));
    for (const json::Value& each : value.array()) {
      if (each.is_array()) throw fhir::invalid(cat("The list ", path.text(), " holds a list"));
      check_values(each, path, true);
    }
  }
  if (value.is_object()) {
    if (value.object().empty()) throw fhir::invalid(cat("The element ", path.text(), " is empty"));
    for (const auto& [member, inner] : value.object()) {
      if (member.empty()) throw fhir::invalid(cat("An element of ", path.text(), " has no name"));
      check_values(inner, {&path, member}, false);
    }
  }
}

std::string_view text_member(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found && found->is_string() ? std::string_view(found->string()) : std::string_view();
}

}  // namespace

json::Value parse_body(const std::optional<std::string>& body, const std::optional<std::string>& content_type) {
  constexpr int kUnsupportedMediaType = 415;
  if (content_type && !content_type->empty() && !is_json_type(*content_type)) {
    throw wire::Error("not-supported", kUnsupportedMediaType,
                      cat("Tidemill does not support bodies of ", *content_type));
  }
  if (!body || body->empty()) throw fhir::invalid("The request has no body");
  auto parsed = json::parse(*body, kResourceDepthMax);
  if (!parsed) {
    throw wire::Error("structure", 400,
                      cat("The body is no JSON: ", parsed.error().message, " at byte ", parsed.error().offset));
  }
  return *std::move(parsed);
}

void check_resource(const json::Value& resource, std::string_view type) {
  if (!resource.is_object()) throw fhir::invalid("A resource is an object");
  const std::string_view own = text_member(resource, "resourceType");
  if (own.empty()) throw fhir::invalid("The resource has no resourceType");
  if (!lang::fhir::is_resource_type(own)) throw fhir::invalid(cat("FHIR R4 has no resource type ", own));
  if (!type.empty() && own != type) throw fhir::invalid(cat("The resource is of type ", own, " instead of ", type));
  const json::Value* id = resource.find("id");
  if (id && !(id->is_string() && lang::fhir::is_resource_id(id->string()))) {
    throw fhir::invalid("The id is not 1 to 64 letters, digits, '-' and '.'");
  }
  const json::Value* meta = resource.find("meta");
  if (meta && !meta->is_object()) throw fhir::invalid("The element meta is no object");
  check_values(resource, {nullptr, own}, false);
}

std::string_view type_of(const json::Value& resource) { return text_member(resource, "resourceType"); }

std::string_view id_of(const json::Value& resource) { return text_member(resource, "id"); }

}  // namespace tidemill::healthlake

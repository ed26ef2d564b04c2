#include "lang/templates/dynamic_reference.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;
using Service = DynamicReference::Service;

constexpr std::string_view kOpen = "{{resolve:";
constexpr std::string_view kClose = "}}";

[[noreturn]] void refuse_reference(std::string_view text) {
  throw TemplateError(
      cat("Incorrect format is used in the following dynamic reference: [", text.substr(2, text.size() - 4), "]"));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "name", "name:version"; the name may be an ARN.
void read_parameter(DynamicReference& reference, std::string_view rest) {
  const size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos && is_number(rest.substr(colon + 1))) {
    reference.version = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  reference.id = rest;
  if (rest.empty() || (rest.find(':') != std::string_view::npos && !rest.starts_with("arn:"))) {
    refuse_reference(reference.text);
  }
}

// "id:SecretString:key:stage:version", of which all behind the id may be left out; the id may be an ARN.
void read_secret(DynamicReference& reference, std::string_view rest) {
  constexpr size_t kArnParts = 7;  // arn:aws:secretsmanager:region:account:secret:name
  const auto parts = split(rest);
  const size_t id_parts = rest.starts_with("arn:") ? kArnParts : 1;
  if (parts.size() < id_parts || parts.size() > id_parts + 4) refuse_reference(reference.text);
  reference.id = rest.substr(0, static_cast<size_t>(parts[id_parts - 1].end() - rest.begin()));
  const auto part = [&](size_t i) { return id_parts + i < parts.size() ? parts[id_parts + i] : std::string_view(); };
  if (reference.id.empty() || (!part(0).empty() && part(0) != "SecretString")) refuse_reference(reference.text);
  reference.json_key = part(1);
  reference.version_stage = part(2);
  reference.version = part(3);
  if (!reference.version.empty() && !reference.version_stage.empty()) refuse_reference(reference.text);
}

DynamicReference parse_reference(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Service>, 3> kServices = {{
      {"ssm:", Service::ssm},
      {"ssm-secure:", Service::ssm_secure},
      {"secretsmanager:", Service::secrets_manager},
  }};
  DynamicReference reference{.text = std::string(text)};
  std::string_view rest = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
  for (const auto& [name, service] : kServices) {
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    reference.service = service;
    if (service == Service::secrets_manager) {
      read_secret(reference, rest);
    } else {
      read_parameter(reference, rest);
    }
    return reference;
  }
  refuse_reference(text);
}

// The next reference in a text, from `from` on: where it begins and how long it is.
struct Place {
  size_t begin;
  size_t size;
};
std::optional<Place> next_reference(std::string_view text, size_t from) {
  const size_t begin = text.find(kOpen, from);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = text.find(kClose, begin);
  if (end == std::string_view::npos) return std::nullopt;
  return Place{begin, end + kClose.size() - begin};
}

void collect(const json::Value& value, std::vector<DynamicReference>& found, std::set<std::string, std::less<>>& seen) {
  if (value.is_array()) {
    for (const json::Value& element : value.array()) collect(element, found, seen);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) collect(member, found, seen);
  } else if (value.is_string()) {
    const std::string_view text = value.string();
    for (auto place = next_reference(text, 0); place; place = next_reference(text, place->begin + place->size)) {
      const std::string_view each = text.substr(place->begin, place->size);
      if (seen.emplace(each).second) found.push_back(parse_reference(each));
    }
  }
}

void collect_places(const json::Value& value, const std::string& at, bool in_list, std::vector<std::string>& places) {
  if (value.is_array()) {
    for (const json::Value& element : value.array()) collect_places(element, at, true, places);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      collect_places(member, in_list ? at : cat(at, '/', name), in_list, places);
    }
  } else if (value.is_string()) {
    const std::string_view text = value.string();
    for (auto place = next_reference(text, 0); place; place = next_reference(text, place->begin + place->size)) {
      const DynamicReference reference = parse_reference(text.substr(place->begin, place->size));
      if (reference.service == Service::ssm_secure) places.push_back(at);
    }
  }
}

std::string replace_in(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  size_t done = 0;
  for (auto place = next_reference(text, 0); place; place = next_reference(text, place->begin + place->size)) {
    const std::string_view each = text.substr(place->begin, place->size);
    const auto value = values.find(each);
    out.append(text.substr(done, place->begin - done));
    out.append(value == values.end() ? each : std::string_view(value->second));
    done = place->begin + place->size;
  }
  return out.append(text.substr(done));
}

void replace(json::Value& value, const std::map<std::string, std::string, std::less<>>& values) {
  if (value.is_array()) {
    for (json::Value& element : value.array()) replace(element, values);
  } else if (value.is_object()) {
    for (auto& [name, member] : value.object()) replace(member, values);
  } else if (value.is_string()) {
    value = replace_in(value.string(), values);
  }
}

}  // namespace

std::vector<DynamicReference> dynamic_references(const json::Value& value) {
  std::vector<DynamicReference> found;
  std::set<std::string, std::less<>> seen;
  collect(value, found, seen);
  return found;
}

std::vector<std::string> places_of_secure_references(const json::Value& value, std::string root) {
  std::vector<std::string> places;
  collect_places(value, root, false, places);
  return places;
}

json::Value replace_dynamic_references(const json::Value& value,
                                       const std::map<std::string, std::string, std::less<>>& values) {
  json::Value out = value;
  replace(out, values);
  return out;
}

}  // namespace tidemill::lang::templates

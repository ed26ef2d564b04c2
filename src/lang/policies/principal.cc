#include "lang/policies/principal.h"

#include <algorithm>
#include <optional>

namespace tidemill::lang::policies {

namespace {

constexpr std::string_view kEverybody = "*";
constexpr size_t kAccountDigits = 12;

bool is_account(std::string_view text) {
  return text.size() == kAccountDigits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The account of "111111111111" and "arn:aws:iam::111111111111:root"; empty: the text means none.
std::string_view account_meant(std::string_view text) {
  constexpr std::string_view kStart = "arn:aws:iam::";
  constexpr std::string_view kEnd = ":root";
  if (text.starts_with(kStart) && text.ends_with(kEnd) && text.size() == kStart.size() + kAccountDigits + kEnd.size()) {
    text = text.substr(kStart.size(), kAccountDigits);
  }
  return is_account(text) ? text : std::string_view();
}

// "logs.us-east-1.amazonaws.com" means the same as "logs.amazonaws.com": a service in a region.
bool is_service(std::string_view name, std::string_view service) {
  if (name == service || name == kEverybody) return true;
  constexpr std::string_view kEnd = ".amazonaws.com";
  if (!name.ends_with(kEnd) || !service.ends_with(kEnd)) return false;
  name.remove_suffix(kEnd.size());
  service.remove_suffix(kEnd.size());
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || name.substr(0, dot) != service) return false;
  const std::string_view region = name.substr(dot + 1);
  return std::ranges::count(region, '-') >= 2 && region.find('.') == std::string_view::npos;
}

// Of a deleted user or role a policy keeps the id, and a session's begins with that of its role.
bool is_id(const Caller& caller, std::string_view text) {
  if (caller.id.empty()) return false;
  return text == caller.id || (caller.kind == PrincipalKind::role && text == caller.id.substr(0, caller.id.find(':')));
}

}  // namespace

bool Principals::parse(const json::Value& element) {
  if (element.is_string()) {
    is_everybody_ = element.string() == kEverybody;
    return is_everybody_;
  }
  if (!element.is_object() || element.object().empty()) return false;
  for (const auto& [name, values] : element.object()) {
    std::optional<Kind> kind;
    if (name == "AWS")
      kind = Kind::aws;
    else if (name == "Service")
      kind = Kind::service;
    else if (name == "Federated")
      kind = Kind::federated;
    else if (name == "CanonicalUser")
      kind = Kind::canonical;
    if (!kind) return false;
    const auto add = [&](const json::Value& value) {
      if (value.is_string()) names_.push_back({*kind, value.string()});
      return value.is_string();
    };
    if (!values.is_array()) {
      if (!add(values)) return false;
    } else if (!std::ranges::all_of(values.array(), add)) {
      return false;
    }
  }
  return true;
}

Naming Principals::naming(const Caller& caller) const {
  Naming closest = is_everybody_ ? Naming::everybody : Naming::none;
  for (const Name& name : names_) closest = std::max(closest, naming(name, caller));
  return closest;
}

bool Principals::spares(const Caller& caller) const {
  if (is_everybody_) return true;
  const auto lists = [&](Naming wanted) {
    return std::ranges::any_of(names_, [&](const Name& name) {
      const Naming found = naming(name, caller);
      return found == wanted || found == Naming::everybody;
    });
  };
  switch (caller.kind) {
    case PrincipalKind::anonymous:
      return lists(Naming::everybody);
    case PrincipalKind::service:
      return lists(Naming::exactly);
    case PrincipalKind::root:
      return lists(Naming::account);
    case PrincipalKind::user:
    case PrincipalKind::federated:
      return lists(Naming::account) && lists(Naming::exactly);
    case PrincipalKind::role:
      return lists(Naming::account) && lists(Naming::role) && lists(Naming::exactly);
  }
  return false;
}

Naming Principals::naming(const Name& name, const Caller& caller) {
  if (name.kind == Kind::service) {
    const bool is_meant = caller.kind == PrincipalKind::service && is_service(name.text, caller.service);
    return is_meant ? Naming::exactly : Naming::none;
  }
  if (name.kind == Kind::canonical) {
    return !caller.canonical_id.empty() && name.text == caller.canonical_id ? Naming::account : Naming::none;
  }
  if (name.kind != Kind::aws) return Naming::none;  // nobody comes by such a way
  if (name.text == kEverybody) return Naming::everybody;
  if (caller.account.empty()) return Naming::none;
  if (name.text == caller.arn || (!caller.id.empty() && name.text == caller.id)) {
    // The root's ARN means its account; of the root itself that is all there is.
    return caller.kind == PrincipalKind::root ? Naming::account : Naming::exactly;
  }
  if (caller.kind == PrincipalKind::role && (name.text == caller.role_arn || is_id(caller, name.text)))
    return Naming::role;
  return account_meant(name.text) == caller.account ? Naming::account : Naming::none;
}

}  // namespace tidemill::lang::policies

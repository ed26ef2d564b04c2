// PutParameter.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/text.h"
#include "services/ssm/bus_events.h"
#include "services/ssm/encryption.h"
#include "services/ssm/operations.h"
#include "services/ssm/parameter.h"
#include "services/ssm/tags.h"
#include "wire/pattern.h"
#include "wire/shapes/sts.h"

namespace tidemill::ssm {
namespace {

using base::cat;
namespace errors = shapes::errors;

constexpr size_t kValueSizeMax = 4096;  // of the standard tier
constexpr size_t kNameSizeMax = 1011;
constexpr std::ptrdiff_t kLevelsMax = 15;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

bool is_letter_of_names(char letter) {
  constexpr std::string_view kOthers = "0123456789.-_/";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         kOthers.find(letter) != std::string_view::npos;
}

void check_name(const std::string& name) {
  const std::string small = lower(name);
  const bool is_path = name.starts_with('/');
  if (small.starts_with("/aws/") || small == "/aws") {
    throw errors::access_denied_exception(cat("No access to reserved parameter name: ", name, "."));
  }
  if (!is_path && (small.starts_with("aws") || small.starts_with("ssm"))) {
    throw errors::validation_exception(
        "Parameter name: can't be prefixed with \"aws\" or \"ssm\" (case-insensitive).");
  }
  const bool has_odd_letter = !std::ranges::all_of(name, is_letter_of_names);
  if (has_odd_letter || small.starts_with("/ssm") || name.ends_with('/') || name.find("//") != std::string::npos) {
    throw errors::validation_exception(
        "Parameter name: can't be prefixed with \"ssm\" (case-insensitive). If formed as a path, it can consist of "
        "sub-paths divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the following "
        "3 symbols .-_");
  }
  if (!is_path && name.find('/') != std::string::npos) {
    throw errors::validation_exception("Parameter name must be a fully qualified name.");
  }
  if (name.size() > kNameSizeMax) throw errors::validation_exception("Parameter name is too long.");
  if (std::ranges::count(name, '/') > kLevelsMax) {
    throw errors::hierarchy_level_limit_exceeded_exception(
        cat("Parameter hierarchy can have at most ", kLevelsMax, " levels."));
  }
}

void check_value(const Parameter& parameter) {
  if (parameter.value.empty()) throw errors::validation_exception("A parameter value is required.");
  if (parameter.value.size() > kValueSizeMax) {
    throw errors::validation_exception(
        cat("Standard tier parameters support a maximum parameter value of ", kValueSizeMax,
            " characters. To create a larger parameter value, upgrade the parameter to use the advanced-parameter "
            "tier."));
  }
  if (!parameter.allowed_pattern || parameter.allowed_pattern->empty()) return;
  bool matches = false;
  try {
    matches = wire::Pattern(*parameter.allowed_pattern).matches(parameter.value);
  } catch (const std::logic_error&) {
    throw errors::invalid_allowed_pattern_exception(
        cat("The regular expression pattern ", *parameter.allowed_pattern, " is not valid."));
  }
  if (!matches) {
    throw errors::parameter_pattern_mismatch_exception(
        cat("Parameter value, cannot be validated against allowedPattern: ", *parameter.allowed_pattern));
  }
}

// What is stored where there was `before`, which may be null. Throws for what may not be.
Parameter next_version(const ParameterAddress& address, const Parameter* before,
                       const shapes::PutParameterInput& request, const std::optional<Encrypted>& encrypted) {
  if (before && !request.overwrite.value_or(false)) {
    throw errors::parameter_already_exists(
        "The parameter already exists. To overwrite this value, set the overwrite option in the request to true.");
  }
  if (!before && !request.type) {
    throw errors::validation_exception("A parameter type is required when you create a parameter.");
  }
  if (before && request.type && *request.type != before->type) {
    throw errors::hierarchy_type_mismatch_exception(
        cat("The parameter's type ", before->type, " cannot be changed to ", *request.type, "."));
  }
  Parameter next = before ? *before : Parameter{.address = address, .type = *request.type, .version = 0};
  next.value = request.value;
  ++next.version;
  if (request.description) next.description = request.description;
  if (request.allowed_pattern) next.allowed_pattern = request.allowed_pattern;
  check_value(next);
  if (next.is_secure() != encrypted.has_value()) {
    throw errors::too_many_updates(
        "There are concurrent updates for a resource that supports one update at a time.");
  }
  if (encrypted) {
    next.value = encrypted->value;
    next.key_id = encrypted->key_id;
  }
  return next;
}

// The value of what is, or becomes, a SecureString; nothing: it is none.
Task<std::optional<Encrypted>> encrypt_if_secure(Service& service, wire::Context& context,
                                                 const ParameterAddress& address,
                                                 const shapes::PutParameterInput& request) {
  const auto before = co_await find_parameter(*service.store().snapshot(), address);
  const bool is_secure =
      request.type ? *request.type == shapes::ParameterType::kSecureString : before && before->is_secure();
  if (!is_secure) {
    if (!request.key_id) co_return std::nullopt;
    throw errors::validation_exception("KeyId is of parameters of the type SecureString only.");
  }
  if (request.value.empty() || request.value.size() > kValueSizeMax) co_return Encrypted{};  // refused below
  std::string key = request.key_id.value_or(before && before->key_id ? *before->key_id : std::string(kDefaultKey));
  co_return co_await encrypt(context, address, request.value, std::move(key));
}

// A label keeps the version that would go: without another place for it nothing new comes.
void make_room(store::Transaction& txn, const Parameter& next) {
  if (next.version <= kVersionsMax) return;
  const int64_t oldest = next.version - kVersionsMax;
  for (const auto& [label, version] : next.labels) {
    if (version != oldest) continue;
    throw errors::parameter_max_version_limit_exceeded(
        cat("You attempted to create a new version of ", next.address.name, " by calling the PutParameter API with the "
            "overwrite flag. Version ", oldest, ", the oldest version, can't be deleted because it has a label associated "
            "with it. Move the label to another version of the parameter, and try again."));
  }
  txn.erase(version_key(next.address, oldest));
}

Task<std::string> caller_of(wire::Context& context) {
  const wire::sts::GetCallerIdentityInput who;
  const auto caller = co_await context.registry().call<wire::sts::ops::GetCallerIdentity>(context, who);
  co_return caller.arn.value_or("");
}

}  // namespace

Task<shapes::PutParameterOutput> put_parameter(Service& service, wire::Context& context,
                                               const shapes::PutParameterInput& request) {
  const Reference reference = parse_reference(context, request.name);
  check_name(cat(reference.address.name, reference.selector));
  if (request.tags && !request.tags->empty() && request.overwrite.value_or(false)) {
    throw errors::validation_exception(
        "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove "
        "overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or "
        "RemoveTagsFromResource.");
  }
  const std::string caller = co_await caller_of(context);
  const base::Time now = context.now();
  const auto encrypted = co_await encrypt_if_secure(service, context, reference.address, request);
  shapes::PutParameterOutput out;
  out.tier = shapes::ParameterTier::kStandard;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto before = co_await find_parameter(txn, reference.address);
    Parameter next = next_version(reference.address, before ? &*before : nullptr, request, encrypted);
    next.modified = now;
    next.modified_by = caller;
    if (request.tags) next.tags = with_tags({}, *request.tags);
    make_room(txn, next);
    if (before) {
      Parameter old = *before;
      old.labels.clear();  // the newest knows them
      txn.put(version_key(reference.address, old.version), encode_parameter(old));
    }
    txn.put(parameter_key(reference.address), encode_parameter(next));
    co_await tell_bus(txn, next, before ? kTellUpdate : kTellCreate, now);
    out.version = next.version;
  });
  co_return out;
}

}  // namespace tidemill::ssm

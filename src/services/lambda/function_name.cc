#include "services/lambda/function_name.h"

#include <charconv>
#include <limits>
#include <vector>

#include "base/text.h"
#include "services/lambda/errors.h"
#include "wire/arn.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr std::string_view kService = "lambda";
constexpr std::string_view kFunctionPrefix = "function:";  // of an ARN's resource

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

// "name" and "name:qualifier", what every form ends in.
void take_name(const std::vector<std::string_view>& parts, size_t at, FunctionReference& into) {
  into.address.name = parts[at];
  if (parts.size() > at + 1) into.qualifier = parts[at + 1];
}

}  // namespace

std::string FunctionAddress::arn() const {
  const std::string resource = cat(kFunctionPrefix, name);
  return wire::Arn{.service = kService, .region = region, .account = account, .resource = resource}.text();
}

std::string FunctionReference::arn() const {
  return qualifier.empty() ? address.arn() : cat(address.arn(), ":", qualifier);
}

std::string name_of_version(uint64_t version) { return version == 0 ? std::string(kLatest) : std::to_string(version); }

std::optional<uint64_t> version_of_qualifier(std::string_view qualifier) {
  if (qualifier == kLatest) return 0;
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(qualifier.data(), qualifier.data() + qualifier.size(), version);
  // What is too long for a number is no alias either: those are not made of digits only.
  if (error == std::errc::result_out_of_range) return std::numeric_limits<uint64_t>::max();
  if (error != std::errc() || end != qualifier.data() + qualifier.size()) return std::nullopt;
  // 0 is no version, and neither is a number with zeroes before it.
  return qualifier.starts_with('0') ? std::numeric_limits<uint64_t>::max() : version;
}

std::optional<FunctionReference> parse_function_arn(std::string_view arn) {
  const auto whole = wire::parse_arn_of(kService, arn);
  if (!whole || !whole->resource.starts_with(kFunctionPrefix)) return std::nullopt;
  const auto parts = split(whole->resource.substr(kFunctionPrefix.size()));
  // Behind a colon there is a qualifier: one function must not have two ARNs, of which a policy names but one.
  if (parts.size() > 2 || parts[0].empty() || parts.back().empty()) return std::nullopt;
  FunctionReference reference;
  reference.address.region = whole->region;
  reference.address.account = whole->account;
  take_name(parts, 0, reference);
  return reference;
}

FunctionReference parse_function_name(const wire::Context& context, std::string_view name,
                                      const std::optional<std::string>& qualifier) {
  FunctionReference reference;
  reference.address.account = context.account;
  reference.address.region = context.region;
  const auto parts = split(name);
  if (auto whole = parse_function_arn(name)) {
    reference = *std::move(whole);
  } else if (parts.size() >= 3 && parts[1] == "function") {  // account:function:name[:qualifier]
    reference.address.account = parts[0];
    take_name(parts, 2, reference);
  } else if (parts.size() >= 2 && parts[0] == "function") {
    take_name(parts, 1, reference);
  } else {
    take_name(parts, 0, reference);
  }

  if (reference.address.region != context.region) {
    throw errors::resource_not_found_exception(cat("Functions from '", reference.address.region,
                                                   "' are not reachable in this region ('", context.region, "')"));
  }
  if (reference.address.account != context.account) throw function_not_found(reference.arn());
  // There is none of such a name.
  if (reference.address.name.size() > kFunctionNameMax) throw function_not_found(reference.arn());
  if (qualifier && !qualifier->empty()) {
    if (!reference.qualifier.empty() && reference.qualifier != *qualifier) {
      throw errors::invalid_parameter_value_exception(
          "The derived qualifier from the function name does not match the specified qualifier.");
    }
    reference.qualifier = *qualifier;
  }
  return reference;
}

}  // namespace tidemill::lambda

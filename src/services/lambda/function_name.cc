#include "services/lambda/function_name.h"

#include <vector>

#include "base/text.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {
namespace {

using base::cat;

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

std::string FunctionAddress::arn() const { return cat("arn:aws:lambda:", region, ":", account, ":function:", name); }

std::string FunctionReference::arn() const {
  return qualifier.empty() ? address.arn() : cat(address.arn(), ":", qualifier);
}

std::optional<FunctionReference> parse_function_arn(std::string_view arn) {
  // arn:aws:lambda:region:account:function:name[:qualifier]
  const auto parts = split(arn);
  if (parts.size() < 7 || parts.size() > 8 || parts[0] != "arn" || parts[2] != "lambda" || parts[5] != "function") {
    return std::nullopt;
  }
  FunctionReference reference;
  reference.address.region = parts[3];
  reference.address.account = parts[4];
  take_name(parts, 6, reference);
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
  if (reference.address.name.size() > kFunctionNameMax) {
    throw wire::validation_error(cat("1 validation error detected: Value '", reference.address.name,
                                     "' at 'functionName' failed to satisfy constraint: Member must have length less than "
                                     "or equal to ", kFunctionNameMax));
  }
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

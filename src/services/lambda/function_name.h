// How a function is named: by its name, a partial ARN or a whole one, each with or without a qualifier.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/context.h"

namespace tidemill::lambda {

// AWS's limit of the name itself; a whole ARN may be longer.
inline constexpr size_t kFunctionNameMax = 64;
inline constexpr std::string_view kLatest = "$LATEST";

struct FunctionAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;  // unqualified
  auto operator<=>(const FunctionAddress&) const = default;
};

struct FunctionReference {
  FunctionAddress address;
  std::string qualifier;  // "" if none was given

  // As it was given: with the qualifier, if there is one.
  [[nodiscard]] std::string arn() const;
  [[nodiscard]] bool is_latest() const { return qualifier.empty() || qualifier == kLatest; }
};

// "$LATEST" for 0, otherwise the number.
[[nodiscard]] std::string name_of_version(uint64_t version);
// Nothing: the qualifier is neither $LATEST nor a number, so it is the name of an alias.
[[nodiscard]] std::optional<uint64_t> version_of_qualifier(std::string_view qualifier);

// Understands `name` in the context's account and region; `qualifier` is the request's parameter. Throws AWS's errors for
// another region or account, a name that no function can have, and two qualifiers that differ.
[[nodiscard]] FunctionReference parse_function_name(const wire::Context& context, std::string_view name,
                                                    const std::optional<std::string>& qualifier = {});

// A whole ARN, qualified or not; nothing if it is none of a function.
[[nodiscard]] std::optional<FunctionReference> parse_function_arn(std::string_view arn);

}  // namespace tidemill::lambda

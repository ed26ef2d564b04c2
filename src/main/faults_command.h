// `tidemill faults list | add | clear`: has operations and functions throttled, delayed or failing, so that what calls
// them can be tested. /_tidemill/faults does the work (faults_endpoint.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct FaultsOptions {
  enum class Action { list, add, clear };
  Action action = Action::list;
  base::json::Object fault;    // to add, as the server takes it
  std::optional<uint64_t> id;  // to clear; nothing: all
  ClientOptions client;
};

// What follows the word "faults". Throws UsageError.
FaultsOptions parse_faults_options(std::span<const std::string_view> arguments, const Environment& environment);

[[nodiscard]] std::string faults_help();

// Prints a line for each fault. The exit code: 0 if it could, else 1.
int faults(const FaultsOptions& options);

}  // namespace tidemill

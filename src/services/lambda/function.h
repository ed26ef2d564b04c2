// What a function is, and how it is kept in the store: KeySpace::resource, (account, region, "lambda", "function", name).
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/workers.h"
#include "services/lambda/function_name.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// AWS's defaults.
inline constexpr int kTimeoutSecondsDefault = 3;
inline constexpr int kMemoryMbDefault = 128;
inline constexpr int kEphemeralStorageMb = 512;

struct Function {
  FunctionAddress address;
  std::string runtime;
  std::string role;
  std::string handler;
  std::string description;
  int timeout_seconds = kTimeoutSecondsDefault;
  int memory_mb = kMemoryMbDefault;
  std::optional<std::map<std::string, std::string>> environment;  // nothing: never given
  std::string log_group;        // empty: /aws/lambda/<name>
  std::string code_digest;      // SHA-256 of the package, hexadecimal
  int64_t code_bytes = 0;
  std::string revision;         // changes with every change
  base::Time last_modified;
  std::map<std::string, std::string> tags;

  // Made by load_function: what the workers need.
  std::shared_ptr<const engine::FunctionSpec> spec;

  [[nodiscard]] std::string effective_log_group() const;
};

using FunctionPtr = std::shared_ptr<const Function>;

[[nodiscard]] std::string function_key(const FunctionAddress& address);
// The functions of an account's region, or of all.
[[nodiscard]] store::Range functions_range(std::string_view account, std::string_view region);
// Nothing: the key is not one of a function.
[[nodiscard]] std::optional<FunctionAddress> address_of_key(std::string_view key);

[[nodiscard]] std::string encode_function(const Function& function);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Function decode_function(FunctionAddress address, std::string_view bytes);

// nothing: there is no such function. The read is tracked if `reader` is a transaction.
Task<std::optional<Function>> load_function(store::Snapshot& reader, FunctionAddress address);

// Writes it, with a new revision and date, and signals kFunctionsTopic.
void save_function(store::Transaction& txn, Function& function, base::Time now);

// Signalled with each change of any function.
inline constexpr std::string_view kFunctionsTopic = "functions";

// As the API answers it; `qualifier` stands at the end of the ARN if it is not empty.
[[nodiscard]] wire::lambda::FunctionConfiguration describe(const Function& function, std::string_view qualifier = {});

}  // namespace tidemill::lambda

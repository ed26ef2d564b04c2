// What a function is, and how it is kept in the store: KeySpace::resource, (account, region, "lambda", "function", name),
// and its published versions, which never change but for their revision, behind it under the same key and their number.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/workers/workers.h"
#include "services/lambda/function_name.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// AWS's defaults.
inline constexpr int kTimeoutSecondsDefault = 3;
inline constexpr int kMemoryMbDefault = 128;
inline constexpr int kEphemeralStorageMbDefault = 512;

// Settings that change nothing here, kept and shown where the server was told to (--lenient). Members as the API has them.
struct LenientSettings {
  std::optional<wire::lambda::VpcConfig> vpc_config;
  std::string kms_key_arn;
  bool traces = false;             // TracingConfig Active
  bool has_snap_start = false;     // of published versions
  std::vector<wire::lambda::FileSystemConfig> file_systems;

  [[nodiscard]] bool any() const;
};

// A layer's version as a function has it: it stays with the function when the layer is deleted.
struct FunctionLayer {
  std::string arn;
  std::string digest;  // of its package
  int64_t bytes = 0;   // of the same

  bool operator==(const FunctionLayer&) const = default;
};

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
  engine::LogSettings logging;
  int ephemeral_storage_mb = kEphemeralStorageMbDefault;
  std::optional<LenientSettings> lenient;  // nothing: none was given
  std::string code_digest;      // SHA-256 of the package, hexadecimal
  int64_t code_bytes = 0;
  std::vector<FunctionLayer> layers;
  std::string architecture;     // "x86_64", "arm64"; empty: never given
  std::string revision;         // changes with every change
  std::string process_revision; // changes with code and settings, not with a policy: what its processes are of
  base::Time last_modified;
  std::string dead_letter_target;  // an ARN of a queue or a topic; empty: none

  uint64_t version = 0;  // 0: $LATEST

  // Of the function as a whole, and kept with $LATEST only.
  std::map<std::string, std::string> tags;
  uint64_t last_version = 0;                 // the greatest number that has been published
  std::string published_description;         // $LATEST's when that was published
  std::optional<int> reserved_concurrency;
  int provisioned_concurrency = 0;           // of all its versions and aliases
  bool allows_recursion = false;

  // Made by the cache: what the workers need.
  std::shared_ptr<const engine::FunctionSpec> spec;

  [[nodiscard]] std::string effective_log_group() const;
  [[nodiscard]] std::string effective_architecture() const;  // the host's if none was given
  // Which interpreter a runtime's name stands for has an ARN of its own on AWS; here it is derived from the name.
  [[nodiscard]] std::string runtime_version_arn() const;
  [[nodiscard]] std::string version_name() const { return name_of_version(version); }  // "$LATEST", "3"
};

using FunctionPtr = std::shared_ptr<const Function>;

// Of the machine that runs functions, by AWS's name.
[[nodiscard]] std::string_view host_architecture();

[[nodiscard]] std::string function_key(const FunctionAddress& address);
[[nodiscard]] std::string version_key(const FunctionAddress& address, uint64_t version);  // 0: the function's own
// The functions of an account's region, each with its versions behind it.
[[nodiscard]] store::Range functions_range(std::string_view account, std::string_view region);
// A function and its versions.
[[nodiscard]] store::Range versions_range(const FunctionAddress& address);

struct FunctionKey {
  FunctionAddress address;
  uint64_t version = 0;
};
// Nothing: the key is neither that of a function nor of a version.
[[nodiscard]] std::optional<FunctionKey> parse_function_key(std::string_view key);

[[nodiscard]] std::string encode_function(const Function& function);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Function decode_function(FunctionKey key, std::string_view bytes);

// nothing: there is no such function, or no such version. The read is tracked if `reader` is a transaction.
Task<std::optional<Function>> load_function(store::Snapshot& reader, FunctionAddress address, uint64_t version = 0);

// Writes it, with new revisions and a new date.
void save_function(store::Transaction& txn, Function& function, base::Time now);

// The same for what its processes know nothing of, its policy: they stay, and so does the date.
void renew_revision(store::Transaction& txn, Function& function);

// As the API answers it; `qualifier` stands at the end of the ARN if it is not empty.
[[nodiscard]] wire::lambda::FunctionConfiguration describe(const Function& function, std::string_view qualifier = {});

// The same as it was while it was made (State Pending) or changed (LastUpdateStatus InProgress), under the revision of that
// moment, which is over when the answer leaves: on AWS it takes about a second. Callers find the function Active, or
// Successful, under another revision, and may wait for it as they do there.
[[nodiscard]] wire::lambda::FunctionConfiguration describe_pending(const Function& function);
[[nodiscard]] wire::lambda::FunctionConfiguration describe_in_progress(const Function& function, std::string_view qualifier = {});

}  // namespace tidemill::lambda

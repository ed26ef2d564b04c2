// Parameters: KeySpace::resource, (account, region, "ssm", "parameter", name), as JSON, is the newest version; those
// before it are (account, region, "ssm", "parameter-version", name) u64(version), alike.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::ssm {

inline constexpr int64_t kVersionsMax = 100;  // the oldest goes for the next

struct ParameterAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

struct Parameter {
  ParameterAddress address;
  std::string type;
  std::string value;  // of a SecureString: what KMS made of it, in base64
  int64_t version = 1;
  base::Time modified;
  std::string modified_by;  // the ARN of who did
  std::optional<std::string> description;
  std::optional<std::string> allowed_pattern;
  base::json::TextMap tags;
  std::optional<std::string> key_id;       // of a SecureString: the key as it was asked for
  std::map<std::string, int64_t> labels;   // versions that have one, of the newest version only

  [[nodiscard]] bool is_secure() const;
};

[[nodiscard]] std::string parameter_key(const ParameterAddress& address);
[[nodiscard]] store::Range parameters_range(std::string_view account, std::string_view region);
// Those whose names begin with `prefix`, which ends in '/'.
[[nodiscard]] store::Range parameters_below(std::string_view account, std::string_view region, std::string_view prefix);
[[nodiscard]] std::string version_key(const ParameterAddress& address, int64_t version);
[[nodiscard]] store::Range versions_range(const ParameterAddress& address);

[[nodiscard]] std::string encode_parameter(const Parameter& parameter);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Parameter decode_parameter(std::string account, std::string region, std::string_view bytes);

Task<std::optional<Parameter>> find_parameter(store::Snapshot& reader, const ParameterAddress& address);

// What a request names: "name", "name:3", "name:label", or either as an ARN.
struct Reference {
  ParameterAddress address;
  std::string selector;  // ":3", ":label" or empty

  // Of an ARN "…:parameter/x", which "x" and "/x" have alike: another name to look for.
  std::optional<std::string> other_name;
};
[[nodiscard]] Reference parse_reference(const wire::Context& context, std::string_view text);

// One that is older than `newest`, or it. Nothing: there is none.
Task<std::optional<Parameter>> find_version(store::Snapshot& reader, const Parameter& newest, int64_t version);

// The version that is meant. Throws ParameterVersionNotFound; nothing: there is no such parameter.
Task<std::optional<Parameter>> find_referred(store::Snapshot& reader, Reference reference);

}  // namespace tidemill::ssm

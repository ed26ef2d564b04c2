// What a layer is, and how it is kept in the store: under KeySpace::resource, (account, region, "lambda", "layer", name),
// the greatest number that it has given out, which is never given out again; and its versions, which never change, under
// (…, "layer-version", name) and their number, the newest first. A version's bytes are a package (package_record.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

struct LayerAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;  // without a version
  [[nodiscard]] std::string version_arn(int64_t number) const;
};

struct LayerReference {
  LayerAddress address;
  int64_t number = 0;

  [[nodiscard]] std::string arn() const { return address.version_arn(number); }
};

struct LayerVersion {
  LayerReference reference;
  std::string description;
  std::string license;
  std::vector<std::string> runtimes;       // said by who made it, and shown; nobody is kept from other ones
  std::vector<std::string> architectures;  // the same
  base::Time created;
  std::string code_digest;  // SHA-256 of the package, hexadecimal
  int64_t code_bytes = 0;
};

// By a name or an ARN without a version. Throws ResourceNotFoundException for a layer of another region.
[[nodiscard]] LayerAddress parse_layer_name(const wire::Context& context, std::string_view name);
// The same with a number. Throws also InvalidParameterValueException for a number below 1.
[[nodiscard]] LayerReference parse_layer_version(const wire::Context& context, std::string_view name, int64_t number);
// Of a version, as Lambda itself writes it; nothing if it is none.
[[nodiscard]] std::optional<LayerReference> parse_layer_version_arn(std::string_view arn);

[[nodiscard]] std::string layer_key(const LayerAddress& address);
[[nodiscard]] std::string layer_version_key(const LayerReference& reference);
// The layers of an account's region; their versions are elsewhere.
[[nodiscard]] store::Range layers_range(std::string_view account, std::string_view region);
[[nodiscard]] store::Range layer_versions_range(const LayerAddress& address);
// Of all layers of an account's region.
[[nodiscard]] store::Range layer_versions_range(std::string_view account, std::string_view region);
// The layer's name; nothing: the key is none of a layer.
[[nodiscard]] std::optional<LayerAddress> parse_layer_key(std::string_view key);

[[nodiscard]] std::string encode_layer_version(const LayerVersion& version);
// `key` is its layer_version_key. Throws std::runtime_error if they are damaged.
[[nodiscard]] LayerVersion decode_layer_version(LayerAddress address, std::string_view key, std::string_view bytes);

// Any entry of the store; nothing: the key is none of a layer's version.
[[nodiscard]] std::optional<LayerVersion> find_layer_version(std::string_view key, std::string_view bytes);

Task<std::optional<LayerVersion>> load_layer_version(store::Snapshot& reader, LayerReference reference);

// The number of the next version, which is taken by this.
Task<int64_t> next_layer_number(store::Transaction& txn, LayerAddress address);

// "Layer version arn:… does not exist."
[[nodiscard]] std::string no_such_layer_version(std::string_view arn);

// As lists show it.
[[nodiscard]] wire::lambda::LayerVersionsListItem list_item(const LayerVersion& version);

}  // namespace tidemill::lambda

#include "services/lambda/layer.h"

#include <charconv>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;
using base::cat;

constexpr store::ResourceType kLayers{"lambda", "layer"};
constexpr store::ResourceType kVersions{"lambda", "layer-version"};
constexpr std::string_view kOfLayer = "layer:";

std::string versions_prefix(const LayerAddress& address) {
  return store::resource_key(kVersions, address.account, address.region, address.name);
}

constexpr auto kVersionMembers = [](auto& member, auto& version) {
  member("description", version.description);
  member("license", version.license);
  member("runtimes", version.runtimes);
  member("architectures", version.architectures);
  member("created_us", version.created);
  member("code_digest", version.code_digest);
  member("code_bytes", version.code_bytes);
};

}  // namespace

std::string LayerAddress::arn() const { return cat("arn:aws:lambda:", region, ":", account, ":", kOfLayer, name); }

std::string LayerAddress::version_arn(int64_t number) const { return cat(arn(), ":", number); }

LayerAddress parse_layer_name(const wire::Context& context, std::string_view name) {
  const auto arn = wire::parse_arn_of("lambda", name);
  if (!arn || !arn->resource.starts_with(kOfLayer)) return {context.account, context.region, std::string(name)};
  if (arn->region != context.region) {
    throw errors::resource_not_found_exception("The resource you requested does not exist.");
  }
  return {std::string(arn->account), std::string(arn->region), std::string(arn->resource.substr(kOfLayer.size()))};
}

LayerReference parse_layer_version(const wire::Context& context, std::string_view name, int64_t number) {
  if (number < 1) throw errors::invalid_parameter_value_exception("Layer Version Cannot be less than 1");
  return {parse_layer_name(context, name), number};
}

std::optional<LayerReference> parse_layer_version_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("lambda", text);
  if (!arn || !arn->resource.starts_with(kOfLayer)) return std::nullopt;
  const std::string_view resource = arn->resource.substr(kOfLayer.size());
  const size_t colon = resource.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  LayerReference reference{
      {std::string(arn->account), std::string(arn->region), std::string(resource.substr(0, colon))}, 0};
  const char* const end = resource.data() + resource.size();
  const auto read = std::from_chars(resource.data() + colon + 1, end, reference.number);
  if (read.ec != std::errc() || read.ptr != end || reference.number < 1) return std::nullopt;
  // A number with zeroes before it would be a second ARN of the version, which no policy names.
  if (resource[colon + 1] == '0') return std::nullopt;
  return reference;
}

std::string layer_key(const LayerAddress& address) {
  return store::resource_key(kLayers, address.account, address.region, address.name);
}

std::string layer_version_key(const LayerReference& reference) {
  std::string key = versions_prefix(reference.address);
  base::append_u64(key, ~static_cast<uint64_t>(reference.number));
  return key;
}

store::Range layers_range(std::string_view account, std::string_view region) {
  return store::resources_range(kLayers, account, region);
}

store::Range layer_versions_range(const LayerAddress& address) { return store::Range::prefix(versions_prefix(address)); }

store::Range layer_versions_range(std::string_view account, std::string_view region) {
  return store::resources_range(kVersions, account, region);
}

std::optional<LayerAddress> parse_layer_key(std::string_view key) {
  auto found = store::resource_of_key(kLayers, key);
  if (!found) return std::nullopt;
  return LayerAddress{std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string encode_layer_version(const LayerVersion& version) { return json::encode(version, kVersionMembers); }

LayerVersion decode_layer_version(LayerAddress address, std::string_view key, std::string_view bytes) {
  base::OrderedReader reader(key.substr(versions_prefix(address).size()));
  const LayerReference reference{std::move(address), static_cast<int64_t>(~reader.u64())};
  return json::decode("layer version", bytes, kVersionMembers, LayerVersion{.reference = reference});
}

std::optional<LayerVersion> find_layer_version(std::string_view key, std::string_view bytes) {
  if (key.size() < sizeof(uint64_t)) return std::nullopt;
  auto found = store::resource_of_key(kVersions, key.substr(0, key.size() - sizeof(uint64_t)));
  if (!found) return std::nullopt;
  return decode_layer_version({std::move(found->account), std::move(found->region), std::move(found->name)}, key, bytes);
}

Task<std::optional<LayerVersion>> load_layer_version(store::Snapshot& reader, LayerReference reference) {
  const std::string key = layer_version_key(reference);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_layer_version(std::move(reference.address), key, *bytes);
}

Task<int64_t> next_layer_number(store::Transaction& txn, LayerAddress address) {
  const std::string key = layer_key(address);
  const auto bytes = co_await txn.get(key);
  const int64_t number = (bytes ? json::Record("layer", *bytes).integer("last_version") : 0) + 1;
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "last_version", number);
  writer.end_object();
  txn.put(key, out);
  co_return number;
}

std::string no_such_layer_version(std::string_view arn) { return cat("Layer version ", arn, " does not exist."); }

wire::lambda::LayerVersionsListItem list_item(const LayerVersion& version) {
  wire::lambda::LayerVersionsListItem item;
  item.layer_version_arn = version.reference.arn();
  item.version = version.reference.number;
  item.description = version.description;
  item.created_date = base::iso_milliseconds(version.created) + "+0000";
  if (!version.runtimes.empty()) item.compatible_runtimes = version.runtimes;
  if (!version.license.empty()) item.license_info = version.license;
  if (!version.architectures.empty()) item.compatible_architectures = version.architectures;
  return item;
}

}  // namespace tidemill::lambda

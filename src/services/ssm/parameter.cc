#include "services/ssm/parameter.h"

#include <charconv>

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/resources.h"
#include "wire/arn.h"
#include "wire/shapes/ssm.h"

namespace tidemill::ssm {

using base::cat;

namespace {

constexpr store::ResourceType kParameters{"ssm", "parameter"};
constexpr store::ResourceType kVersions{"ssm", "parameter-version"};
constexpr std::string_view kResource = "parameter/";

}  // namespace

std::string ParameterAddress::arn() const {
  return cat("arn:aws:ssm:", region, ":", account, ":parameter", name.starts_with('/') ? "" : "/", name);
}

std::string parameter_key(const ParameterAddress& address) {
  return store::resource_key(kParameters, address.account, address.region, address.name);
}

store::Range parameters_range(std::string_view account, std::string_view region) {
  return store::resources_range(kParameters, account, region);
}

store::Range parameters_below(std::string_view account, std::string_view region, std::string_view prefix) {
  std::string behind(prefix);
  ++behind.back();
  return {store::resource_key(kParameters, account, region, prefix),
          store::resource_key(kParameters, account, region, behind)};
}

std::string version_key(const ParameterAddress& address, int64_t version) {
  std::string key = store::resource_key(kVersions, address.account, address.region, address.name);
  base::append_u64(key, static_cast<uint64_t>(version));
  return key;
}

store::Range versions_range(const ParameterAddress& address) {
  return store::Range::prefix(store::resource_key(kVersions, address.account, address.region, address.name));
}

bool Parameter::is_secure() const { return type == wire::ssm::ParameterType::kSecureString; }

namespace {

constexpr auto kParameterMembers = [](auto& member, auto& parameter) {
  member("name", parameter.address.name);
  member("type", parameter.type);
  member("value", parameter.value);
  member("version", parameter.version);
  member("modified_us", parameter.modified);
  member("modified_by", parameter.modified_by);
  member("description", parameter.description);
  member("allowed_pattern", parameter.allowed_pattern);
  member("tags", parameter.tags);
  member("key_id", parameter.key_id);
  member.unless_empty("labels", parameter.labels);
};

}  // namespace

std::string encode_parameter(const Parameter& parameter) { return json::encode(parameter, kParameterMembers); }

Parameter decode_parameter(std::string account, std::string region, std::string_view bytes) {
  return json::decode("parameter", bytes, kParameterMembers,
                      Parameter{.address = {std::move(account), std::move(region), ""}});
}

Task<std::optional<Parameter>> find_parameter(store::Snapshot& reader, const ParameterAddress& address) {
  const auto bytes = co_await reader.get(parameter_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_parameter(address.account, address.region, *bytes);
}

Reference parse_reference(const wire::Context& context, std::string_view text) {
  Reference reference{.address = {context.account, context.region, ""}};
  if (const auto arn = wire::parse_arn_of("ssm", text); arn && arn->resource.starts_with(kResource)) {
    reference.address.account = arn->account;
    reference.address.region = arn->region;
    text = arn->resource.substr(kResource.size() - 1);
    const bool is_path = text.find('/', 1) != std::string_view::npos;
    if (!is_path) text.remove_prefix(1);
    reference.other_name = is_path ? std::nullopt : std::optional(cat("/", text.substr(0, text.find(':'))));
  }
  const size_t colon = text.find(':');
  reference.address.name = text.substr(0, colon);
  if (colon != std::string_view::npos) reference.selector = text.substr(colon);
  return reference;
}

Task<std::optional<Parameter>> find_version(store::Snapshot& reader, const Parameter& newest, int64_t version) {
  if (version == newest.version) co_return newest;
  const auto bytes = co_await reader.get(version_key(newest.address, version));
  if (!bytes) co_return std::nullopt;
  co_return decode_parameter(newest.address.account, newest.address.region, *bytes);
}

Task<std::optional<Parameter>> find_referred(store::Snapshot& reader, Reference reference) {
  auto found = co_await find_parameter(reader, reference.address);
  if (!found && reference.other_name) {
    reference.address.name = *reference.other_name;
    found = co_await find_parameter(reader, reference.address);
  }
  if (!found || reference.selector.empty()) co_return found;
  const std::string_view wanted = std::string_view(reference.selector).substr(1);
  int64_t version = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), version);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  const auto label = found->labels.find(std::string(wanted));
  std::optional<Parameter> meant;
  if (is_number) meant = co_await find_version(reader, *found, version);
  if (!is_number && label != found->labels.end()) meant = co_await find_version(reader, *found, label->second);
  if (!meant) {
    throw wire::ssm::errors::parameter_version_not_found(
        cat("Systems Manager could not find version ", wanted, " of ", reference.address.name,
            ". Verify the version and try again."));
  }
  co_return meant;
}

}  // namespace tidemill::ssm

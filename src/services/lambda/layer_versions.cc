// PublishLayerVersion, GetLayerVersion, GetLayerVersionByArn and DeleteLayerVersion. A version never changes; functions
// that use one keep what they have when it is deleted.
#include "base/base64.h"
#include "base/hex.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/layer.h"
#include "services/lambda/layer_policy.h"
#include "services/lambda/operations.h"
#include "services/lambda/package_source.h"
#include "wire/error.h"

namespace tidemill::lambda {
namespace {

constexpr int kForbidden = 403;

void check_own(const wire::Context& context, const LayerAddress& address) {
  if (address.account == context.account) return;
  throw wire::Error("AccessDeniedException", kForbidden, base::cat("The layer ", address.arn(), " is another account's"));
}

shapes::LayerVersionOutput describe(const wire::Context& context, const LayerVersion& version) {
  const shapes::LayerVersionsListItem item = list_item(version);
  shapes::LayerVersionOutput out;
  auto& content = out.content.emplace();
  content.location = base::cat(context.endpoint, "/2015-03-31/packages/", version.code_digest);
  content.code_sha256 = base::base64_encode(base::bytes_of_hex(version.code_digest).value());
  content.code_size = version.code_bytes;
  out.layer_arn = version.reference.address.arn();
  out.layer_version_arn = item.layer_version_arn;
  out.description = item.description;
  out.created_date = item.created_date;
  out.version = item.version;
  out.compatible_runtimes = item.compatible_runtimes;
  out.license_info = item.license_info;
  out.compatible_architectures = item.compatible_architectures;
  return out;
}

Task<shapes::LayerVersionOutput> get(Service& service, wire::Context& context, LayerReference reference) {
  const auto snapshot = service.store().snapshot();
  co_await check_may_read(*snapshot, context.account, reference);
  const auto version = co_await load_layer_version(*snapshot, reference);
  if (!version) throw errors::resource_not_found_exception("The resource you requested does not exist.");
  co_return describe(context, *version);
}

}  // namespace

Task<shapes::LayerVersionOutput> publish_layer_version(Service& service, wire::Context& context,
                                                       const shapes::PublishLayerVersionInput& request) {
  LayerVersion version;
  version.reference.address = parse_layer_name(context, request.layer_name);
  check_own(context, version.reference.address);
  version.description = request.description.value_or("");
  version.license = request.license_info.value_or("");
  if (request.compatible_runtimes) version.runtimes = *request.compatible_runtimes;
  if (request.compatible_architectures) version.architectures = *request.compatible_architectures;
  version.created = context.now();
  check_package_source(package_source_of(request.content));

  const auto fetched = co_await fetch_package(context, package_source_of(request.content));
  const std::string& zip = fetched ? *fetched : *request.content.zip_file;
  const auto save = [&](store::Transaction& txn, PackageStore::Upload& package) -> Task<LayerVersion> {
    co_await package.refer(txn);
    LayerVersion fresh = version;
    fresh.reference.number = co_await next_layer_number(txn, fresh.reference.address);
    fresh.code_digest = package.digest();
    fresh.code_bytes = package.bytes();
    txn.put(layer_version_key(fresh.reference), encode_layer_version(fresh));
    co_return fresh;
  };
  try {
    co_return describe(context, co_await service.packages().save(zip, save));
  } catch (const PackageError& error) {
    throw errors::invalid_parameter_value_exception(error.what());
  }
}

Task<shapes::LayerVersionOutput> get_layer_version(Service& service, wire::Context& context,
                                                   const shapes::GetLayerVersionInput& request) {
  return get(service, context, parse_layer_version(context, request.layer_name, request.version_number));
}

Task<shapes::LayerVersionOutput> get_layer_version_by_arn(Service& service, wire::Context& context,
                                                          const shapes::GetLayerVersionByArnInput& request) {
  const auto reference = parse_layer_version_arn(request.arn);
  if (!reference || reference->address.region != context.region) {
    throw errors::resource_not_found_exception("The resource you requested does not exist.");
  }
  return get(service, context, *reference);
}

// One that is not there is deleted already, as on AWS.
Task<shapes::DeleteLayerVersionOutput> delete_layer_version(Service& service, wire::Context& context,
                                                            const shapes::DeleteLayerVersionInput& request) {
  const LayerReference reference = parse_layer_version(context, request.layer_name, request.version_number);
  check_own(context, reference.address);
  DroppedPackages dropped = co_await service.store().transact([&](store::Transaction& txn) -> Task<DroppedPackages> {
    DroppedPackages gone;
    const auto version = co_await load_layer_version(txn, reference);
    if (!version) co_return gone;
    txn.erase(layer_version_key(reference));
    erase_layer_policy(txn, reference);
    co_await drop_package(txn, version->code_digest, gone);
    co_return gone;
  });
  co_await service.forget(std::move(dropped));
  co_return shapes::DeleteLayerVersionOutput{};
}

}  // namespace tidemill::lambda

#include "services/lambda/function_layers.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/layer.h"
#include "services/lambda/layer_policy.h"
#include "services/lambda/layer_set.h"

namespace tidemill::lambda {
namespace {

using base::cat;

wire::Error gone(std::string_view arn) {
  return errors::invalid_parameter_value_exception(no_such_layer_version(arn));
}

void check_region(const wire::Context& context, const LayerReference& reference) {
  if (reference.address.region == context.region) return;
  throw errors::invalid_parameter_value_exception(
      cat("Layers are not in the same region as the function. Layers are expected to be in region ", context.region, "."));
}

// AWS takes one version of a layer only.
void check_once(const LayerReference& reference, std::map<std::string, std::string>& seen) {
  const auto [former, is_new] = seen.emplace(reference.address.arn(), reference.arn());
  if (is_new) return;
  throw errors::invalid_parameter_value_exception(
      cat("Two different versions of the same layer are not allowed to be referenced in the same function. ",
          former->second, " and ", reference.arn(), " are versions of the same layer."));
}

Task<FunctionLayer> find_layer(Service& service, wire::Context& context, LayerReference reference) {
  const auto snapshot = service.store().snapshot();
  co_await check_may_read(*snapshot, context.account, reference);
  const auto version = co_await load_layer_version(*snapshot, reference);
  if (!version) throw gone(reference.arn());
  co_await service.packages().ensure_unpacked(version->code_digest);
  const auto extensions = co_await service.packages().names_in(version->code_digest, "extensions");
  if (!extensions.empty()) {
    throw not_supported(cat("external extensions: ", extensions.front(), " in the layer ", reference.arn()));
  }
  co_return FunctionLayer{reference.arn(), version->code_digest, version->code_bytes};
}

Task<void> check_sum(Service& service, std::vector<std::string> digests) {
  int64_t bytes = 0;
  for (const std::string& digest : digests) bytes += co_await service.packages().unpacked_bytes(digest);
  if (bytes <= kUnzippedBytesMax) co_return;
  throw errors::invalid_parameter_value_exception(
      cat("Function code combined with layers exceeds the maximum allowed size of ", kUnzippedBytesMax,
          " bytes. The actual size is ", bytes, " bytes."));
}

}  // namespace

std::vector<std::string> digests_of(const std::vector<FunctionLayer>& layers) {
  std::vector<std::string> digests;
  for (const FunctionLayer& layer : layers) digests.push_back(layer.digest);
  return digests;
}

std::string layers_directory(const std::vector<FunctionLayer>& layers) { return layer_set_name(digests_of(layers)); }

Task<std::vector<FunctionLayer>> find_layers(Service& service, wire::Context& context, std::vector<std::string> arns) {
  if (arns.size() > kLayersMax) {
    throw errors::invalid_parameter_value_exception(cat("Cannot reference more than ", kLayersMax, " layers."));
  }
  std::map<std::string, std::string> seen;
  std::vector<FunctionLayer> layers;
  for (const std::string& arn : arns) {
    const auto reference = parse_layer_version_arn(arn);
    if (!reference) throw gone(arn);
    check_region(context, *reference);
    check_once(*reference, seen);
    layers.push_back(co_await find_layer(service, context, *reference));
  }
  co_return layers;
}

Task<void> check_unzipped_size(Service& service, std::vector<FunctionLayer> layers, std::string code_digest) {
  if (layers.empty()) co_return;
  std::vector<std::string> digests = digests_of(layers);
  digests.push_back(std::move(code_digest));
  co_await check_sum(service, std::move(digests));
}

Task<void> check_unzipped_size_with(Service& service, std::vector<FunctionLayer> layers, std::string_view zip) {
  if (layers.empty()) co_return;
  const PackageStore::Checked checked = co_await service.packages().check(zip);
  co_await check_unzipped_size(service, std::move(layers), checked.digest());
}

Task<void> ensure_code(PackageStore& packages, const Function& function) {
  co_await packages.ensure_unpacked(function.code_digest);
  if (!function.layers.empty()) co_await packages.ensure_merged(digests_of(function.layers));
}

Task<void> refer_to_layers(store::Transaction& txn, std::vector<FunctionLayer> layers) {
  for (const FunctionLayer& layer : layers) {
    if (!co_await refer_to_package(txn, layer.digest)) throw gone(layer.arn);
  }
  co_await refer_to_layer_set(txn, layers_directory(layers));
}

Task<void> drop_layers(store::Transaction& txn, std::vector<FunctionLayer> layers, DroppedPackages& dropped) {
  for (const FunctionLayer& layer : layers) co_await drop_package(txn, layer.digest, dropped);
  std::string directory = layers_directory(layers);
  if (!is_merged_set(directory)) co_return;
  co_await drop_layer_set(txn, directory);
  dropped.digests.insert(std::move(directory));
}

}  // namespace tidemill::lambda

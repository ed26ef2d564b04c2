// ListLayers, by name with the newest version of each, and ListLayerVersions, the newest first.
#include <algorithm>

#include "base/base64.h"
#include "services/lambda/errors.h"
#include "services/lambda/layer.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"

namespace tidemill::lambda {
namespace {

// What a version must be for. One that says nothing of it is for nobody who asks, as on AWS.
struct Wanted {
  const std::optional<std::string>& runtime;
  const std::optional<std::string>& architecture;

  [[nodiscard]] bool matches(const LayerVersion& version) const {
    const auto has = [](const std::vector<std::string>& list, const std::optional<std::string>& one) {
      return !one || std::ranges::find(list, *one) != list.end();
    };
    return has(version.runtimes, runtime) && has(version.architectures, architecture);
  }
};

Task<std::optional<LayerVersion>> latest_matching(store::Snapshot& reader, const LayerAddress& address,
                                                  const Wanted& wanted) {
  std::optional<LayerVersion> found;
  co_await reader.scan(layer_versions_range(address), store::Direction::forward,
                       [&](std::string_view key, std::string_view value) {
                         LayerVersion version = decode_layer_version(address, key, value);
                         if (wanted.matches(version)) found = std::move(version);
                         return !found;
                       });
  co_return found;
}

// The next of `range`, at most kPageMax; the range begins behind them then.
Task<std::vector<LayerAddress>> take_layers(store::Snapshot& reader, store::Range& range) {
  std::vector<LayerAddress> layers;
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view) {
    if (auto address = parse_layer_key(key)) layers.push_back(*std::move(address));
    return layers.size() < static_cast<size_t>(kPageMax);
  });
  if (!layers.empty()) range.begin = layer_key(layers.back()) + '\0';
  co_return layers;
}

// A marker is the key of the last layer of the page before.
void begin_behind(store::Range& range, const std::optional<std::string>& marker) {
  if (!marker) return;
  const auto after = base::base64_decode(*marker);
  if (!after || *after < range.begin || *after >= range.end) {
    throw errors::invalid_parameter_value_exception("Invalid Marker");
  }
  range.begin = *after + '\0';
}

shapes::LayersListItem item_of(const LayerAddress& address, const LayerVersion& latest) {
  shapes::LayersListItem item;
  item.layer_name = address.name;
  item.layer_arn = address.arn();
  item.latest_matching_version = list_item(latest);
  return item;
}

}  // namespace

// A layer whose versions are all gone keeps its numbers, and is not listed.
Task<shapes::ListLayersOutput> list_layers(Service& service, wire::Context& context,
                                           const shapes::ListLayersInput& request) {
  const Wanted wanted{request.compatible_runtime, request.compatible_architecture};
  const auto limit = static_cast<size_t>(std::min(request.max_items.value_or(kPageMax), kPageMax));
  store::Range range = layers_range(context.account, context.region);
  begin_behind(range, request.marker);
  shapes::ListLayersOutput out;
  auto& layers = out.layers.emplace();
  const auto snapshot = service.store().snapshot();
  std::string last;
  for (;;) {
    const std::vector<LayerAddress> next = co_await take_layers(*snapshot, range);
    if (next.empty()) co_return out;
    for (const LayerAddress& address : next) {
      const auto latest = co_await latest_matching(*snapshot, address, wanted);
      if (!latest) continue;
      if (layers.size() == limit) {
        out.next_marker = base::base64_encode(last);
        co_return out;
      }
      layers.push_back(item_of(address, *latest));
      last = layer_key(address);
    }
  }
}

Task<shapes::ListLayerVersionsOutput> list_layer_versions(Service& service, wire::Context& context,
                                                          const shapes::ListLayerVersionsInput& request) {
  const LayerAddress address = parse_layer_name(context, request.layer_name);
  if (address.account != context.account) {
    throw errors::resource_not_found_exception("The resource you requested does not exist.");
  }
  const Wanted wanted{request.compatible_runtime, request.compatible_architecture};
  shapes::ListLayerVersionsOutput out;
  auto& versions = out.layer_versions.emplace();
  const auto take = [&](std::string_view key, std::string_view value) {
    const LayerVersion version = decode_layer_version(address, key, value);
    if (!wanted.matches(version)) return false;
    versions.push_back(list_item(version));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  out.next_marker =
      co_await read_page(*snapshot, layer_versions_range(address), request.marker, request.max_items, take);
  co_return out;
}

}  // namespace tidemill::lambda

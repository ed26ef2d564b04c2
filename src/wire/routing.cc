#include "wire/routing.h"

#include <algorithm>

#include "net/http.h"

namespace tidemill::wire {

namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(std::min(path.size(), slash + 1));
  }
  return segments;
}

std::unique_ptr<Endpoint> make_endpoint(const Registry::Operation& operation, base::Metrics& metrics) {
  const std::string labels = "service=\"" + std::string(operation.info.service) + "\",operation=\"" +
                             std::string(operation.info.name) + "\"";
  const auto counter = [&](std::string_view outcome) {
    return &metrics.counter("tidemill_requests_total", "Calls of an operation over HTTP, by outcome.",
                            labels + ",outcome=\"" + std::string(outcome) + "\"");
  };
  auto* seconds = &metrics.histogram("tidemill_request_seconds", "From the request's headers to its answer.", labels);
  return std::make_unique<Endpoint>(Endpoint{&operation, counter("succeeded"), counter("refused"), counter("throttled"),
                                             counter("failed"), seconds});
}

}  // namespace

Routes::Routes(const Registry& registry, base::Metrics& metrics) {
  for (const Registry::Operation* operation : registry.all()) {
    const Endpoint* endpoint = endpoints_.emplace_back(make_endpoint(*operation, metrics)).get();
    const OperationInfo& info = operation->info;
    if (info.protocol == Protocol::rest_json) {
      paths_.push_back({endpoint, parse_uri(info.uri)});
    } else if (info.protocol != Protocol::query) {
      targets_.emplace(std::string(info.target_prefix) + "." + std::string(info.name), endpoint);
    }
    if (!info.query_version.empty()) actions_.emplace(std::string(info.name), endpoint);
  }
  const auto literals = [](const PathRoute& route) {
    return std::ranges::count_if(route.segments, [](const Segment& segment) { return !segment.is_label; });
  };
  std::ranges::sort(paths_, [&](const PathRoute& a, const PathRoute& b) {
    const auto count_a = literals(a), count_b = literals(b);
    return count_a != count_b ? count_a > count_b : a.endpoint->operation->info.uri < b.endpoint->operation->info.uri;
  });
}

std::vector<Routes::Segment> Routes::parse_uri(std::string_view uri) {
  std::vector<Segment> segments;
  for (const std::string_view text : split_path(uri.substr(0, uri.find('?')))) {
    if (!text.starts_with('{')) {
      segments.push_back({.text = std::string(text)});
      continue;
    }
    const bool greedy = text.ends_with("+}");
    segments.push_back({.text = std::string(text.substr(1, text.size() - (greedy ? 3 : 2))),
                        .is_label = true,
                        .is_greedy = greedy});
  }
  return segments;
}

const Endpoint* Routes::by_target(std::string_view target) const {
  const auto found = targets_.find(target);
  return found == targets_.end() ? nullptr : found->second;
}

const Endpoint* Routes::by_target_prefix(std::string_view prefix) const {
  for (const auto& endpoint : endpoints_) {
    if (!prefix.empty() && endpoint->operation->info.target_prefix == prefix) return endpoint.get();
  }
  return nullptr;
}

const Endpoint* Routes::by_action(std::string_view action, std::string_view service, std::string_view version) const {
  const auto [begin, end] = actions_.equal_range(action);
  const Endpoint* best = nullptr;
  int best_merit = -1;
  for (auto found = begin; found != end; ++found) {
    const OperationInfo& info = found->second->operation->info;
    const int merit = 2 * (info.signing_name == service) + (info.query_version == version);
    if (merit <= best_merit) continue;
    best = found->second;
    best_merit = merit;
  }
  // Another service's operation of the same name is none of a service that is known not to have it.
  const bool foreign = best && best->operation->info.signing_name != service;
  return foreign && has_service(service) ? nullptr : best;
}

std::string_view Routes::query_namespace(std::string_view service) const {
  for (const auto& [action, endpoint] : actions_) {
    if (endpoint->operation->info.signing_name == service) return endpoint->operation->info.xml_namespace;
  }
  return {};
}

bool Routes::has_service(std::string_view signing_name) const {
  return std::ranges::any_of(endpoints_, [&](const auto& e) { return e->operation->info.signing_name == signing_name; });
}

bool Routes::match(const PathRoute& route, const std::vector<std::string_view>& path, Labels& labels) {
  labels.clear();
  for (size_t i = 0; i < route.segments.size(); ++i) {
    const Segment& segment = route.segments[i];
    if (i >= path.size()) return false;
    if (!segment.is_label) {
      if (path[i] != segment.text) return false;
      continue;
    }
    std::string_view text = path[i];
    if (segment.is_greedy) text = std::string_view(text.data(), path.back().data() + path.back().size());
    auto decoded = net::percent_decode(text);
    if (!decoded || decoded->empty()) return false;
    labels.emplace_back(segment.text, std::move(*decoded));
    if (segment.is_greedy) return true;
  }
  return path.size() == route.segments.size();
}

const Endpoint* Routes::by_path(std::string_view method, std::string_view path,
                                std::initializer_list<std::string_view> services, Labels& labels) const {
  const std::vector<std::string_view> segments = split_path(path);
  const auto search = [&](std::string_view service) -> const Endpoint* {
    for (const PathRoute& route : paths_) {
      const OperationInfo& info = route.endpoint->operation->info;
      if (info.method != method || (!service.empty() && info.signing_name != service)) continue;
      if (match(route, segments, labels)) return route.endpoint;
    }
    return nullptr;
  };
  for (const std::string_view service : services) {
    if (service.empty()) continue;
    if (const Endpoint* endpoint = search(service)) return endpoint;
  }
  return search("");
}

}  // namespace tidemill::wire

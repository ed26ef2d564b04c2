#include "wire/routing.h"

#include <algorithm>
#include <tuple>

namespace tidemill::wire {

namespace {

constexpr std::string_view kIgnoredParameter = "x-id";  // names the operation for logs only

bool is_rest(Protocol protocol) { return protocol == Protocol::rest_json || protocol == Protocol::rest_xml; }

// Takes what stands before the next `separator` off `text`, and that.
std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

// Clients may escape what needs no escape: "%24export".
bool means(std::string_view sent, std::string_view literal) {
  if (sent == literal) return true;
  return sent.find('%') != std::string_view::npos && net::percent_decode(sent) == literal;
}

}  // namespace

Routes::Routes(const Registry& registry) {
  for (const Registry::Operation* operation : registry.all()) {
    const Endpoint* endpoint = endpoints_.emplace_back(std::make_unique<Endpoint>(Endpoint{operation})).get();
    const OperationInfo& info = operation->info;
    services_.emplace(info.signing_name, endpoint);
    if (is_rest(info.protocol)) {
      if (!info.uri.empty()) paths_.push_back(parse_route(endpoint));
    } else if (info.protocol != Protocol::query) {
      targets_.emplace(std::string(info.target_prefix) + "." + std::string(info.name), endpoint);
    }
    if (!info.rpc_service.empty()) {
      rpcs_.emplace(std::string(info.rpc_service) + "/operation/" + std::string(info.name), endpoint);
    }
    // Events have no form in XML.
    if (!info.query_version.empty() && !info.event_stream) actions_.emplace(std::string(info.name), endpoint);
  }
  std::ranges::sort(paths_, [](const PathRoute& a, const PathRoute& b) {
    const auto rank = [](const PathRoute& route) {
      return std::tuple(~route.literals(), ~route.demands(), route.endpoint->operation->info.uri);
    };
    return rank(a) < rank(b);
  });
}

size_t Routes::PathRoute::literals() const {
  return static_cast<size_t>(std::ranges::count_if(segments, [](const Segment& segment) { return !segment.is_label; }));
}

std::vector<Routes::Segment> Routes::parse_segments(std::string_view path) {
  std::vector<Segment> segments;
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view text = take_part(path, '/');
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

Routes::PathRoute Routes::parse_route(const Endpoint* endpoint) {
  const OperationInfo& info = endpoint->operation->info;
  PathRoute route{endpoint, parse_segments(info.uri.substr(0, info.uri.find('?'))), {}, {}};
  if (!is_rest(info.protocol)) return route;
  for (auto& parameter : net::parse_query(info.uri)) {
    if (parameter.first != kIgnoredParameter) route.query.push_back(std::move(parameter));
  }
  for (std::string_view rest = info.route_headers; !rest.empty();) route.headers.emplace_back(take_part(rest, ','));
  return route;
}

const Endpoint* Routes::by_target(std::string_view target) const {
  const auto found = targets_.find(target);
  return found == targets_.end() ? nullptr : found->second;
}

const Endpoint* Routes::by_rpc(std::string_view path) const {
  constexpr std::string_view kService = "/service/";
  const size_t begin = path.rfind(kService);
  if (begin == std::string_view::npos) return nullptr;
  const auto found = rpcs_.find(path.substr(begin + kService.size()));
  return found == rpcs_.end() ? nullptr : found->second;
}

const Endpoint* Routes::by_target_prefix(std::string_view prefix) const {
  for (const auto& endpoint : endpoints_) {
    if (!prefix.empty() && endpoint->operation->info.target_prefix == prefix) return endpoint.get();
  }
  return nullptr;
}

const Endpoint* Routes::by_action(std::string_view action, std::string_view service, std::string_view version) const {
  const auto [begin, end] = actions_.equal_range(action);
  const Endpoint* any = nullptr;
  for (auto found = begin; found != end; ++found) {
    const OperationInfo& info = found->second->operation->info;
    if (service.empty() ? info.query_version == version : info.signing_name == service) return found->second;
    any = found->second;
  }
  // Another service's operation of the same name is none of the one that is asked.
  return service.empty() ? any : nullptr;
}

std::string_view Routes::query_namespace(std::string_view service) const {
  for (const auto& [action, endpoint] : actions_) {
    if (endpoint->operation->info.signing_name == service) return endpoint->operation->info.xml_namespace;
  }
  return {};
}

bool Routes::has_service(std::string_view signing_name) const { return services_.contains(signing_name); }

const Endpoint* Routes::by_service(std::string_view signing_name) const {
  const auto found = services_.find(signing_name);
  return found == services_.end() ? nullptr : found->second;
}

bool Routes::meets_demands(const PathRoute& route, const Query& query, const net::Headers& headers) {
  for (const auto& [name, value] : route.query) {
    const auto is_it = [&](const auto& pair) { return pair.first == name && (value.empty() || pair.second == value); };
    if (std::ranges::none_of(query, is_it)) return false;
  }
  return std::ranges::all_of(route.headers, [&](const std::string& name) { return headers.find(name).has_value(); });
}

bool Routes::match(const PathRoute& route, std::string_view path, Labels& labels) {
  labels.clear();
  if (path.starts_with('/')) path.remove_prefix(1);
  bool ended = path.empty();  // nothing is left, not even an empty segment
  for (const Segment& segment : route.segments) {
    if (ended) return false;
    const std::string_view text = segment.is_greedy ? std::exchange(path, {}) : path.substr(0, path.find('/'));
    ended = segment.is_greedy || text.size() == path.size();
    if (!ended) path.remove_prefix(text.size() + 1);
    if (!segment.is_label) {
      if (!means(text, segment.text)) return false;
      continue;
    }
    auto decoded = net::percent_decode(text);
    if (!decoded || decoded->empty()) return false;
    labels.emplace_back(segment.text, std::move(*decoded));
  }
  return ended || path.empty();
}

const Endpoint* Routes::by_path(const Asked& asked, std::string_view service, bool any_xml, Labels& labels) const {
  if (!service.empty() && !has_service(service)) return nullptr;
  const Query query = net::parse_query(asked.target);
  for (const PathRoute& route : paths_) {
    const OperationInfo& info = route.endpoint->operation->info;
    if (info.method != asked.method) continue;
    if (service.empty() ? info.protocol == Protocol::rest_xml && !any_xml : info.signing_name != service) continue;
    if (!meets_demands(route, query, asked.headers)) continue;
    if (match(route, asked.path, labels)) return route.endpoint;
  }
  labels.clear();
  return nullptr;
}

}  // namespace tidemill::wire

// The operations of the registry by what requests name them with: targets, actions, methods and paths. Which of these
// counts for a request is pipeline/identify.h's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/http.h"
#include "wire/registry.h"

namespace tidemill::wire {

// An operation as requests find it.
struct Endpoint {
  const Registry::Operation* operation;

  [[nodiscard]] const OperationMetrics& metrics() const { return operation->metrics; }
};

using Labels = std::vector<std::pair<std::string, std::string>>;

class Routes {
 public:
  // Reads the registry as it is now; it outlives this.
  explicit Routes(const Registry& registry);

  // By "DynamoDB_20120810.GetItem"; nullptr if there is none.
  [[nodiscard]] const Endpoint* by_target(std::string_view target) const;
  // Any operation with that target prefix, for the protocol of the refusal; nullptr if nobody has it.
  [[nodiscard]] const Endpoint* by_target_prefix(std::string_view prefix) const;

  // By the path of a Smithy RPC v2 request, "/service/<service>/operation/<name>"; nullptr if there is none.
  [[nodiscard]] const Endpoint* by_rpc(std::string_view path) const;

  // The operation of the Query protocol: of the service with this signing name; if that is empty, of the one with this
  // version, or else any. nullptr if there is none.
  [[nodiscard]] const Endpoint* by_action(std::string_view action, std::string_view service,
                                          std::string_view version) const;
  // Whether a service of that signing name speaks the Query protocol; its namespace.
  [[nodiscard]] std::string_view query_namespace(std::string_view service) const;

  // A request as by_path() looks at it.
  struct Asked {
    std::string_view method;
    std::string_view path;    // still encoded, without the query; a trailing slash does not matter unless a greedy label
                              // takes it
    std::string_view target;  // as sent: its query tells some routes apart
    const net::Headers& headers;
  };
  // By method and path among the operations of the service with that signing name; if it is empty, among all, and then
  // `any_xml` says whether rest-xml's, which match nearly any path, are among them. Fills in the labels, decoded.
  // nullptr if there is none.
  [[nodiscard]] const Endpoint* by_path(const Asked& asked, std::string_view service, bool any_xml,
                                        Labels& labels) const;

  // Any operation of the service with that signing name; nullptr if there is none.
  [[nodiscard]] const Endpoint* by_service(std::string_view signing_name) const;
  // Whether an operation has this signing name.
  [[nodiscard]] bool has_service(std::string_view signing_name) const;

 private:
  struct Segment {
    std::string text;  // the literal, or the label's name
    bool is_label = false;
    bool is_greedy = false;  // {Name+}: takes the rest of the path
  };
  struct PathRoute {
    const Endpoint* endpoint;
    std::vector<Segment> segments;
    // Parameters of the query that must be there ("uploads"), some with a value ("list-type" "2"), and of rest-xml
    // headers.
    std::vector<std::pair<std::string, std::string>> query;
    std::vector<std::string> headers;

    [[nodiscard]] size_t literals() const;
    [[nodiscard]] size_t demands() const { return query.size() + headers.size(); }
  };
  using Query = std::vector<std::pair<std::string, std::string>>;
  static PathRoute parse_route(const Endpoint* endpoint);
  static std::vector<Segment> parse_segments(std::string_view path);
  static bool meets_demands(const PathRoute& route, const Query& query, const net::Headers& headers);
  static bool match(const PathRoute& route, std::string_view path, Labels& labels);

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::unordered_map<std::string, const Endpoint*, Hash, std::equal_to<>> services_;
  std::unordered_map<std::string, const Endpoint*, Hash, std::equal_to<>> targets_;
  std::unordered_map<std::string, const Endpoint*, Hash, std::equal_to<>> rpcs_;  // by "service/operation/name"
  std::unordered_multimap<std::string, const Endpoint*, Hash, std::equal_to<>> actions_;
  std::vector<PathRoute> paths_;  // those with more literal segments first, then those with more demands
};

}  // namespace tidemill::wire

// The form of a Query request as a tree: "Attribute.1.Name=x" is a child "Attribute" with a child "1" with a child "Name"
// of value "x". What shape_query.h reads requests from.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "wire/large_work.h"
#include "wire/registry.h"
#include "wire/timestamp.h"

namespace tidemill::wire::shapes {

struct ReadContext;

struct QueryNode {
  static constexpr int kDepthMax = 32;         // of names
  static constexpr size_t kNodesMax = 100'000;  // of a form

  bool is_large = false;  // of the root: reading the form takes longer than a slice may
  std::optional<std::string> value;
  std::map<std::string, QueryNode, std::less<>> children;

  // nullptr if there is none.
  [[nodiscard]] const QueryNode* find(std::string_view name) const;
};

// A whole form; a large one goes where it does not hold up others.
using QueryForm = std::unique_ptr<QueryNode, DestroyElsewhere>;

// Throws MalformedQueryString.
[[nodiscard]] QueryNode make_query_tree(const std::vector<std::pair<std::string, std::string>>& pairs);

// The tree of what stands behind the '?' of a request's target, and of its body. Throws MalformedQueryString, before
// anything is made of a text of too many parameters.
[[nodiscard]] QueryNode read_query_tree(std::string_view target, std::string_view body);

// The elements of a list or map, in order: the children of `node` with a number for a name, or of its child `wrapper`,
// which is "" for flattened ones. None if the list is empty ("Attribute=").
[[nodiscard]] std::vector<const QueryNode*> query_elements(const QueryNode& node, std::string_view wrapper);

// Scalars. Throw SerializationException.
[[nodiscard]] std::string query_text(const QueryNode& node);
[[nodiscard]] bool query_boolean(const QueryNode& node);
[[nodiscard]] int32_t query_integer(const QueryNode& node);
[[nodiscard]] int64_t query_long(const QueryNode& node);
[[nodiscard]] double query_double(const QueryNode& node);
[[nodiscard]] std::string query_blob(const QueryNode& node);
[[nodiscard]] base::Time query_timestamp(const QueryNode& node);

// Throws the service's error for unsupported parameters, unless the value is empty or `accepted`.
void refuse_unsupported(const OperationInfo& operation, const QueryNode& node, std::string_view name,
                        std::string_view accepted);

}  // namespace tidemill::wire::shapes

// A resource's policy, as AddPermission and RemovePermission of several services edit it: JSON with a list of
// statements, each known by its label (Sid). What else the document says stays as it is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::lang {

class PolicyStatements {
 public:
  // `policy` is the document; what is no JSON object counts as none, and `otherwise` takes its place.
  PolicyStatements(std::string_view policy, base::json::Object otherwise);

  [[nodiscard]] bool has(std::string_view label);
  void add(base::json::Value statement);
  // False: there is none of that label.
  bool remove(std::string_view label);
  [[nodiscard]] bool empty();

  [[nodiscard]] std::string text() const;

 private:
  base::json::Array& statements();

  base::json::Object policy_;
};

// A statement that allows `actions` ("SQS:SendMessage") on `resource` to accounts, by their numbers.
[[nodiscard]] base::json::Value allow_accounts(std::string_view label, std::span<const std::string> accounts,
                                               std::span<const std::string> actions, std::string_view resource);

}  // namespace tidemill::lang

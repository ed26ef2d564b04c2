// The last requests and what was decided of them, so that somebody can ask why (`tidemill explain`).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "rights/judgment.h"
#include "wire/registry.h"

namespace tidemill::rights {

inline constexpr size_t kExplainedMax = 10000;  // requests

struct Explained {
  std::string request_id;
  const wire::OperationInfo* operation = nullptr;  // null: a deed of the platform's
  std::string principal;  // who signed
  std::vector<std::shared_ptr<const Judgment>> judgments;
};

// Any thread.
class Explanations {
 public:
  void add(Explained explained);
  // The last of that id. Nothing: there was none, or too many since.
  [[nodiscard]] std::optional<Explained> find(std::string_view request_id) const;
  // The last that was denied.
  [[nodiscard]] std::optional<Explained> last_denied() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Explained> ring_;
  size_t next_ = 0;
};

[[nodiscard]] json::Value document_of(const Explained& explained);

}  // namespace tidemill::rights

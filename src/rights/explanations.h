// The last requests and what was decided of them, so that somebody can ask why (`tidemill explain`).
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "rights/judgment.h"
#include "wire/registry.h"

namespace tidemill::rights {

inline constexpr size_t kExplainedMax = 10000;          // requests
inline constexpr size_t kExplainedBytesMax = 32 << 20;  // about, of all together; what is older goes for what is newer
inline constexpr size_t kJudgmentsExplainedMax = 100;   // of one request, which may ask for thousands

struct Explained {
  std::string request_id;
  const wire::OperationInfo* operation = nullptr;  // null: a deed of the platform's, or, as it is added, of a request
  std::string principal;  // who signed
  std::vector<std::shared_ptr<const Judgment>> judgments;
  size_t left_out = 0;  // of its judgments, which allowed
};

// Any thread.
class Explanations {
 public:
  // Keeps no more judgments of it than kJudgmentsExplainedMax: the first that denies always, and of the others the first.
  void add(Explained explained);
  // The last of that id: of a deed with the operation of the first, which is the request that it belongs to. Nothing:
  // there was none, or too many since.
  [[nodiscard]] std::optional<Explained> find(std::string_view request_id) const;
  // The last that was denied; likewise.
  [[nodiscard]] std::optional<Explained> last_denied() const;

 private:
  struct Kept {
    Explained explained;
    size_t bytes = 0;
  };
  template <class Is>
  [[nodiscard]] std::optional<Explained> last_that(Is is) const;
  // Null: none of that id is known. Locked.
  [[nodiscard]] const wire::OperationInfo* operation_of(std::string_view request_id) const;

  mutable std::mutex mutex_;
  std::deque<Kept> kept_;  // the newest last
  size_t bytes_ = 0;
};

// What was asked several times and decided alike is there once.
[[nodiscard]] json::Value document_of(const Explained& explained);

}  // namespace tidemill::rights

// Inside: JavaScript's regular expressions on RE2, which takes no longer than the text is long. What RE2 cannot do
// (looking around, references back to a group) is refused with S0303 when the expression is compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace tidemill::lang::jsonata {

class Regex {
 public:
  struct Match {
    size_t start = 0;  // bytes
    size_t end = 0;
    std::vector<std::optional<std::string_view>> groups;  // nothing: the group took no part
  };

  // Flags: i, m. Throws S0303.
  Regex(std::string_view pattern, std::string_view flags);
  ~Regex();

  // The first match at or after byte `from`.
  [[nodiscard]] std::optional<Match> find(std::string_view text, size_t from) const;

 private:
  std::unique_ptr<const re2::RE2> regex_;
};

}  // namespace tidemill::lang::jsonata

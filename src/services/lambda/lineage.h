// The chain of invocations that one belongs to, as it travels in the header X-Amzn-Trace-Id: how often each function has
// been called in it so far. The SDKs give the header that a function got on to what it calls, so a function that calls
// itself, directly or by way of others, is found out ("Use Lambda recursive loop detection to prevent infinite loops").
//
//   Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0;Lineage=a87bd80c:3|68fd508a:1
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tidemill::lambda {

// AWS stops a function at "approximately 16" calls in one chain.
inline constexpr int kCallsInChainMax = 16;
// Functions that a chain remembers; those that come later are not counted.
inline constexpr size_t kLineageFunctionsMax = 32;

class Lineage {
 public:
  Lineage() = default;
  // Of a header, from anyone: what cannot be read is left out.
  explicit Lineage(std::string_view header);

  // Counts a call of the function in; how many there are then. `arn` is unqualified.
  int add(std::string_view arn);
  [[nodiscard]] int count(std::string_view arn) const;

  // For the next header: "Root=…;Parent=…;Sampled=…;Lineage=…" with what is there.
  [[nodiscard]] std::string header() const;

 private:
  std::string root_;                  // "1-5759e988-bd862e3fe1be46a994272793", or empty
  std::string parent_;                // "53995c3f42cd8ad8", or empty: who records traces knows the caller by it
  std::string sampled_;               // "0", "1" or "?", or empty
  std::map<std::string, int> calls_;  // by the hash of the function's ARN
};

}  // namespace tidemill::lambda

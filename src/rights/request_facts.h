// What conditions may ask of a request, found out when a policy asks.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lang/policies/facts.h"
#include "rights/actor.h"
#include "rights/ask.h"
#include "wire/context.h"

namespace tidemill::rights {

class RequestFacts final : public lang::policies::FactSource {
 public:
  // What is given outlives this. `more`: of the service and the request; may be null.
  RequestFacts(const wire::Context& context, const Actor& actor, const Ask& ask, std::string_view resource_account,
               const lang::policies::Facts* more)
      : context_(context), actor_(actor), ask_(ask), resource_account_(resource_account), more_(more) {}

  [[nodiscard]] const lang::policies::Values* find(std::string_view key) const override;
  [[nodiscard]] bool is_unknown(std::string_view key) const override;
  [[nodiscard]] size_t bytes() const;  // about, of all values

 private:
  [[nodiscard]] bool is_secure() const;
  [[nodiscard]] bool is_signed() const;
  [[nodiscard]] std::string global(std::string_view key) const;  // empty: there is no such

  const wire::Context& context_;
  const Actor& actor_;
  const Ask& ask_;
  std::string_view resource_account_;
  const lang::policies::Facts* more_;
  mutable std::map<std::string, lang::policies::Values, std::less<>> found_;
};

}  // namespace tidemill::rights

// Who acts, with all that says what they may do: the policies of a user and the groups, or of a role, the boundary and
// the session's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/policies/decide.h"
#include "services/sts/session.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::rights {

// What a policy holds is about so many times its text.
inline constexpr size_t kParsedPerByte = 8;

struct NamedDocument {
  std::string name;  // the ARN of a managed policy, or the name of an inline one
  lang::policies::Policy policy;
  size_t bytes = 0;  // about what it holds
};

struct Actor {
  lang::policies::Caller caller;
  std::string user_name;        // of users
  lang::policies::Facts facts;  // of the principal: "aws:PrincipalArn", "aws:PrincipalTag/team"
  std::vector<std::shared_ptr<const NamedDocument>> identity;
  std::vector<std::shared_ptr<const NamedDocument>> boundary;
  std::vector<std::shared_ptr<const NamedDocument>> session;
  // What a role lets take it on; null: this is no role's.
  std::shared_ptr<const NamedDocument> trust;

  bool may_do_all = false;  // the root of an account
};

// The root of the server's account; empty: nobody knows it.
struct Root {
  std::string access_key_id;
  std::string account;
};

// A standing of neither a role nor a service is its source's account (only services here make such ones).
// Whoever is nobody we know may do nothing.
Task<std::shared_ptr<const Actor>> load_actor(store::Store& store, const wire::Context& context, Root root);

// About what it holds.
[[nodiscard]] size_t bytes_of(const Actor& actor);

// The trust policy of a role, and its ARN's account. Null: there is no such role.
Task<std::shared_ptr<const NamedDocument>> load_trust(store::Store& store, std::string role_arn);

// What identifies the principal of a context in caches.
[[nodiscard]] std::string actor_key(const wire::Principal& principal);
void append_actor_key(std::string& out, const wire::Principal& principal);

}  // namespace tidemill::rights

// Who makes a request, and the Principal of statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::policies {

enum class PrincipalKind {
  anonymous,
  root,       // of an account, also in a session of its own
  user,       // also in a session of its own
  role,       // a session of a role
  federated,  // a session of GetFederationToken
  service,    // "sns.amazonaws.com", on its own behalf
};

struct Caller {
  PrincipalKind kind = PrincipalKind::anonymous;
  std::string account;   // empty: anonymous, or a service
  std::string arn;       // of the user, the session ("arn:aws:sts::1:assumed-role/r/s"), "arn:aws:iam::1:root"
  std::string role_arn;  // of role sessions
  std::string canonical_id;  // of the account, as S3 shows it; may be empty
  std::string id;        // "AIDA…", "AROA…:session"
  std::string service;   // of services
};

// How closely a Principal means a caller. That decides how far its allowance goes: one that names an account only lets
// that account's own policies decide, one that names the user or the session is beyond boundaries and session policies.
enum class Naming { none, account, role, everybody, exactly };

// The Principal or NotPrincipal of a statement.
class Principals {
 public:
  // False: it has not the form of one.
  [[nodiscard]] bool parse(const json::Value& element);
  [[nodiscard]] Naming naming(const Caller& caller) const;
  // As a NotPrincipal: whether all that stands for the caller is listed: the account, the role and the session.
  [[nodiscard]] bool spares(const Caller& caller) const;

 private:
  enum class Kind { aws, service, federated, canonical };
  struct Name {
    Kind kind;
    std::string text;
  };

  [[nodiscard]] static Naming naming(const Name& name, const Caller& caller);

  bool is_everybody_ = false;
  std::vector<Name> names_;
};

}  // namespace tidemill::lang::policies

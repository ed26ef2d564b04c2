// Who signs a request, by the access key: a session, a user, or the account itself. Where everybody is believed, that is
// every other key; where signatures are checked, the root's alone.
#pragma once

#include <string>

#include "base/task.h"
#include "services/sts/service.h"

namespace tidemill::sts {

enum class CallerKind { account, user, session };

struct CallerIdentity {
  CallerKind kind = CallerKind::account;
  std::string user_id;
  std::string arn;
  bool is_role = false;  // a session of a role
  std::string source_identity = {};  // of a session that was begun with one
};

// Throws InvalidClientTokenId for a key that is nobody's: what was somebody's a moment ago, when its signature was
// checked, has ended since, and must not become the account's.
Task<CallerIdentity> find_caller(Service& service, wire::Context& context);

}  // namespace tidemill::sts

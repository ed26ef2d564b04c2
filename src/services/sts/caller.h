// Who signs a request, by the access key: a session, a user, or else the account itself, as everybody is believed.
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
};

Task<CallerIdentity> find_caller(Service& service, wire::Context& context);

}  // namespace tidemill::sts

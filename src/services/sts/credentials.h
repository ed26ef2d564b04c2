// A session as answers show it.
#pragma once

#include "services/sts/session.h"
#include "wire/shapes/sts.h"

namespace tidemill::sts {

[[nodiscard]] inline wire::sts::Credentials credentials_of(const Session& session) {
  return {.access_key_id = session.access_key_id,
          .secret_access_key = session.secret,
          .session_token = session.token,
          .expiration = session.expires};
}

}  // namespace tidemill::sts

// GetSessionToken: temporary credentials of who asks.
#include <algorithm>

#include "base/text.h"
#include "services/sts/caller.h"
#include "services/sts/credentials.h"
#include "services/sts/operations.h"

namespace tidemill::sts {
namespace {

constexpr std::chrono::seconds kUsual = std::chrono::hours(12);
constexpr std::chrono::seconds kOfAccountMax = std::chrono::hours(1);

}  // namespace

Task<shapes::GetSessionTokenOutput> get_session_token(Service& service, wire::Context& context,
                                                      const shapes::GetSessionTokenInput& request) {
  const CallerIdentity caller = co_await find_caller(service, context);
  if (caller.kind == CallerKind::session) {
    throw wire::sts::errors::access_denied_exception("Cannot call GetSessionToken with session credentials");
  }
  std::chrono::seconds lasts(request.duration_seconds.value_or(static_cast<int32_t>(kUsual.count())));
  if (caller.kind == CallerKind::account) lasts = std::min(lasts, kOfAccountMax);
  Session session = new_session(context.account, context.now() + lasts);
  session.issued = context.now();
  session.user_id = caller.user_id;
  session.arn = caller.arn;
  co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<void> { co_await put_session(txn, session); });
  shapes::GetSessionTokenOutput out;
  out.credentials = credentials_of(session);
  co_return out;
}

}  // namespace tidemill::sts

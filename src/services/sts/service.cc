#include "services/sts/service.h"

#include "services/sts/operations.h"
#include "services/sts/session.h"

namespace tidemill::sts {

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::GetCallerIdentity{}, get_caller_identity);
  add(ops::AssumeRole{}, assume_role);
  add(ops::GetSessionToken{}, get_session_token);
  add(ops::GetAccessKeyInfo{}, get_access_key_info);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers) { erase_expired_sessions_by(timers, store_); }

}  // namespace tidemill::sts

// Every operation of STS, each in the file of its name. Shapes: models/sts.smithy; docs/sts.md says what works.
#pragma once

#include "base/task.h"
#include "services/sts/service.h"
#include "wire/context.h"
#include "wire/shapes/sts.h"

namespace tidemill::sts {

namespace shapes = wire::sts;

Task<shapes::GetCallerIdentityOutput> get_caller_identity(Service&, wire::Context&,
                                                          const shapes::GetCallerIdentityInput&);
Task<shapes::AssumeRoleOutput> assume_role(Service&, wire::Context&, const shapes::AssumeRoleInput&);
Task<shapes::GetSessionTokenOutput> get_session_token(Service&, wire::Context&, const shapes::GetSessionTokenInput&);
Task<shapes::GetAccessKeyInfoOutput> get_access_key_info(Service&, wire::Context&,
                                                         const shapes::GetAccessKeyInfoInput&);

}  // namespace tidemill::sts

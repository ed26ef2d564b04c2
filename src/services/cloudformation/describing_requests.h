// How requests of the Cloud Control API are shown.
#pragma once

#include "services/cloudformation/resource_request.h"
#include "wire/shapes/cloudcontrol.h"

namespace tidemill::cloudformation {

[[nodiscard]] wire::cloudcontrol::ProgressEvent describe_request(const ResourceRequest& request);

}  // namespace tidemill::cloudformation

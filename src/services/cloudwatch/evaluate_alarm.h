// Looks at an alarm when its timer says so: after each period as long as there is data in the periods that it looks back
// at, and when data comes.
#pragma once

#include "services/cloudwatch/service.h"
#include "store/timer.h"

namespace tidemill::cloudwatch {

Task<void> evaluate_alarm(Service& service, const store::Timer& timer);

}  // namespace tidemill::cloudwatch

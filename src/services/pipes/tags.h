// Labels on pipes. What they may be beside this, the model says.
#pragma once

#include "wire/tags.h"

namespace tidemill::pipes {

// Throws ValidationException for keys of AWS's own and for characters that tags cannot have.
void check_tags(const wire::TagMap& tags);

}  // namespace tidemill::pipes

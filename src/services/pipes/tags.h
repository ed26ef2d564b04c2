// Labels on pipes. What they may be beside this, the model says.
#pragma once

#include "wire/tags.h"

namespace tidemill::pipes {

// Throws ValidationException for keys of AWS's own.
void check_tag_keys(const wire::TagMap& tags);

}  // namespace tidemill::pipes

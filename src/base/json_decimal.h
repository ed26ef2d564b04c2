// Numbers in JSON as AWS's services write what is a double: 2.0 and 1.0E7, where a Writer's own number() says 2 and 1e+07.
#pragma once

#include <string>

#include "base/json.h"

namespace tidemill::base::json {

// As Java prints a double: "2.0", "0.5", "1.0E7". Finite.
[[nodiscard]] std::string decimal_text(double number);

// Not finite: null.
void write_decimal(Writer& writer, double number);

}  // namespace tidemill::base::json

// Writes the models' structures: what generated code needs beyond base::json::Writer.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace tidemill::wire::shapes {

void write_timestamp(json::Writer& writer, base::Time time, TimestampFormat format);
// As base64.
void write_blob(json::Writer& writer, std::string_view bytes);

// Values of headers.
inline const std::string& header_text(const std::string& text) { return text; }
inline std::string header_text(std::same_as<bool> auto value) { return value ? "true" : "false"; }
inline std::string header_text(std::integral auto value)
  requires(!std::same_as<decltype(value), bool>)
{
  return std::to_string(value);
}
std::string header_text(base::Time time);

// Puts the members of the JSON object `text` into the error's body.
void add_error_members(Error& error, std::string_view text);

}  // namespace tidemill::wire::shapes

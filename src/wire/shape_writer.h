// Values as the protocols write them, beyond base::json::Writer.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
std::string header_text(base::Time time, TimestampFormat format = TimestampFormat::http_date);
// "a,b"
std::string joined(const std::vector<std::string>& elements);
// A header for each entry, its name behind `prefix`.
void write_prefixed(const std::map<std::string, std::string>& entries, std::string_view prefix,
                    std::vector<std::pair<std::string, std::string>>& headers);

// 2009-10-12T17:50:30.000Z: whole seconds with three zeros, as S3 writes it.
std::string xml_time(base::Time time);

// Puts the members of the JSON object `text` into the error's body.
void add_error_members(Error& error, std::string_view text);

}  // namespace tidemill::wire::shapes

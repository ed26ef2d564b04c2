// Heads of HTTP/1.1 responses.
#pragma once

#include <optional>
#include <string>

#include "net/http.h"

namespace tidemill::net {

enum class Framing {
  length,   // content-length: `length`
  chunked,
  close,    // the body ends with the connection
  none,     // there is no body, and no header about one
};

struct HeadFraming {
  Framing framing = Framing::none;
  uint64_t length = 0;
  bool http11 = true;
  bool keep_alive = true;
};

// Appends status line and headers. Of the response's own headers those about framing and the connection are left out;
// characters that would end a header early become spaces.
void append_response_head(std::string& out, const Response& response, const HeadFraming& framing);

// "Not Found"
std::string_view reason_phrase(int status);

// Whether the server speaks for itself in this header (lower or upper case): content-length, connection and so on.
bool is_servers_own_header(std::string_view name);

}  // namespace tidemill::net

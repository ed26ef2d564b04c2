#include "net/http1_write.h"

#include <algorithm>
#include <charconv>

#include "net/text.h"

namespace tidemill::net {

namespace {

void append_number(std::string& out, uint64_t value) {
  char text[20];
  const auto result = std::to_chars(text, text + sizeof text, value);
  out.append(text, result.ptr);
}

bool ends_a_header(char c) { return c == '\r' || c == '\n' || c == '\0'; }

void append_clean(std::string& out, std::string_view text) {
  const size_t start = out.size();
  out.append(text);
  std::replace_if(out.begin() + static_cast<ptrdiff_t>(start), out.end(), ends_a_header, ' ');
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "";
  }
}

bool is_servers_own_header(std::string_view name) {
  switch (name.size()) {
    case 7: return equal_ignoring_case(name, "upgrade");
    case 10: return equal_ignoring_case(name, "connection") || equal_ignoring_case(name, "keep-alive");
    case 14: return equal_ignoring_case(name, "content-length");
    case 16: return equal_ignoring_case(name, "proxy-connection");
    case 17: return equal_ignoring_case(name, "transfer-encoding");
    default: return false;
  }
}

void append_response_head(std::string& out, const Response& response, const HeadFraming& framing) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<uint64_t>(response.status));
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  for (const auto& [name, value] : response.headers.entries()) {
    if (is_servers_own_header(name)) continue;
    append_clean(out, name);
    out += ": ";
    append_clean(out, value);
    out += "\r\n";
  }
  switch (framing.framing) {
    case Framing::length:
      out += "content-length: ";
      append_number(out, framing.length);
      out += "\r\n";
      break;
    case Framing::chunked: out += "transfer-encoding: chunked\r\n"; break;
    case Framing::close:
    case Framing::none: break;
  }
  if (!framing.keep_alive) out += "connection: close\r\n";
  else if (!framing.http11) out += "connection: keep-alive\r\n";
  out += "\r\n";
}

}  // namespace tidemill::net

// An HTTP/1.1 request's bytes, understood: Beast's basic_parser, with what it lets pass and a server must not (RFC 9112,
// sections 3.2, 5.1, 6.1 and 6.3: shapes that two servers in a row could read differently).
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "net/http.h"
#include "net/text.h"

namespace tidemill::net {

class Http1Parser final : public boost::beast::http::basic_parser<true> {
 public:
  static constexpr size_t kHeaderFieldsMax = 200;

  // Fills `request` with the head, and `body` with what comes of the body.
  Http1Parser(Request& request, std::string& body, uint32_t header_bytes_max) : request_(request), body_(body) {
    body_limit(boost::none);  // whoever reads the body says how much is too much
    header_limit(header_bytes_max);
  }

  // The status that refuses what made put() fail.
  [[nodiscard]] int refusal() const { return refusal_; }
  [[nodiscard]] bool expects_continue() const { return expects_continue_; }
  [[nodiscard]] bool is_http11() const { return http11_; }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;

  static std::string_view view(string_view text) { return {text.data(), text.size()}; }

  void refuse(int status, error_code& ec) {
    refusal_ = status;
    ec = boost::beast::http::error::bad_value;
  }

  void on_request_impl(boost::beast::http::verb, string_view method, string_view target, int version,
                       error_code& ec) override {
    http11_ = version == 11;
    request_.method.assign(method.data(), method.size());
    if (!take_target(view(target))) refuse(request_.method == "CONNECT" ? 501 : 400, ec);
  }

  // Origin form as it is; of the absolute form (as sent to proxies) path and host; "*" for OPTIONS.
  bool take_target(std::string_view target) {
    if (target.front() == '/' || (target == "*" && request_.method == "OPTIONS")) {
      request_.target.assign(target);
      return true;
    }
    const size_t scheme = target.find("://");
    if (scheme == std::string_view::npos || !equal_ignoring_case(target.substr(0, scheme), "http")) return false;
    target.remove_prefix(scheme + 3);
    const size_t path = target.find_first_of("/?");
    host_of_target_.assign(target.substr(0, path));
    if (host_of_target_.empty()) return false;
    request_.target.clear();
    if (path == std::string_view::npos || target[path] == '?') request_.target = "/";
    if (path != std::string_view::npos) request_.target.append(target.substr(path));
    return true;
  }

  void on_field_impl(field name, string_view name_text, string_view value, error_code& ec) override {
    if (is_header_done_) return take_trailer(view(name_text), view(value), ec);
    if (++fields_ > kHeaderFieldsMax) return refuse(431, ec);
    switch (name) {
      case field::host:
        if (has_host_) return refuse(400, ec);
        has_host_ = true;
        if (!host_of_target_.empty()) return;
        break;
      case field::content_length:
        if (has_length_ || !is_digits(view(value))) return refuse(400, ec);
        has_length_ = true;
        break;
      case field::transfer_encoding:
        // Any other coding than "chunked" alone could hide where the body ends.
        if (!http11_ || has_length_ || has_coding_) return refuse(400, ec);
        if (!equal_ignoring_case(view(value), "chunked")) return refuse(501, ec);
        has_coding_ = true;
        return;  // the body comes without it
      case field::expect:
        if (!http11_) break;
        if (!equal_ignoring_case(view(value), "100-continue")) return refuse(417, ec);
        expects_continue_ = true;
        break;
      default:
        break;
    }
    request_.headers.add(std::string(view(name_text)), std::string(view(value)));
  }

  // Nothing that stands there is a header: who wants trailers asks for them.
  void take_trailer(std::string_view name, std::string_view value, error_code& ec) {
    if (++fields_ > kHeaderFieldsMax) return refuse(431, ec);
    request_.trailers.add(std::string(name), std::string(value));
  }

  static bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  void on_header_impl(error_code& ec) override {
    is_header_done_ = true;
    if (!host_of_target_.empty()) request_.headers.add("host", host_of_target_);
    if (http11_ && !has_host_) refuse(400, ec);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  size_t on_body_impl(string_view bytes, error_code&) override {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  Request& request_;
  std::string& body_;
  std::string host_of_target_;
  size_t fields_ = 0;
  int refusal_ = 400;
  bool http11_ = true;
  bool is_header_done_ = false;
  bool has_host_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;
  bool expects_continue_ = false;
};

}  // namespace tidemill::net

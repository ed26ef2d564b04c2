#include "net/http_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <variant>
#include <vector>

#include "base/base64.h"
#include "base/budget.h"
#include "base/wants.h"
#include "net/file_descriptor.h"
#include "net/http_server.h"
#include "net/loop_impl.h"
#include "net/name_lookups.h"

namespace tidemill::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr size_t kReadBytes = 16 << 10;
constexpr size_t kInterimAnswersMax = 100;  // of a call
// Between two looks whether something can be opened again.
constexpr std::chrono::milliseconds kWantPause{50};

using Outcome = std::variant<HttpAnswer, std::string>;  // or what went wrong

bool is_token(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
  });
}

// Whether no port of ours is free for a connection there, which passes. An address that none of ours can reach fails
// alike, but also for datagrams, whose ports are others.
bool lacks_ports(const error_code& error, const tcp::endpoint& endpoint) {
  if (error != boost::system::errc::address_not_available) return false;
  const FileDescriptor probe(::socket(endpoint.protocol().family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return ::connect(probe.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0;
}

// What a handshake failed with if that was the system's: the files of authorities are looked into on the way.
error_code reason_of(const error_code& error) {
  const auto code = static_cast<unsigned long>(static_cast<unsigned>(error.value()));
  if (error.category() != asio::error::get_ssl_category() || !ERR_SYSTEM_ERROR(code)) return error;
  return {ERR_GET_REASON(code), boost::system::system_category()};
}

// Those of the file and of the directory that OpenSSL would take by itself; it forgets a file that could not be opened.
// Throws boost::system::system_error if that was for want of descriptors; without a file there is the directory.
void trust_authorities(asio::ssl::context& context) {
  const char* named = ::secure_getenv(X509_get_default_cert_file_env());
  error_code error;
  context.load_verify_file(named != nullptr ? named : X509_get_default_cert_file(), error);
  if (base::is_want_of_resources(error)) throw boost::system::system_error(error);
  SSL_CTX_set_default_verify_dir(context.native_handle());
}

// A value that others have a part in begins no line of its own.
std::string on_one_line(std::string value) {
  std::ranges::replace_if(value, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return value;
}

std::string request_text(const HttpCall& call, const HttpUrl& url) {
  std::string text = call.method + ' ' + url.target + " HTTP/1.1\r\nHost: " + url.authority() + "\r\n";
  for (const auto& [name, value] : call.headers.entries()) {
    if (is_token(name)) text += name + ": " + on_one_line(value) + "\r\n";
  }
  if (!url.user_info.empty()) text += "Authorization: Basic " + base::base64_encode(url.user_info) + "\r\n";
  text += "Content-Length: " + std::to_string(call.body.size()) + "\r\nConnection: close\r\n\r\n";
  return text + call.body;
}

}  // namespace

struct HttpClient::Impl {
  Impl(Loop& owner, size_t at_once_max) : loop(owner), places(std::make_shared<base::Budget>(at_once_max)) {}

  // Made with the first call that needs it: reading the authorities takes tens of milliseconds. Throws
  // boost::system::system_error.
  asio::ssl::context& tls() {
    if (tls_) return *tls_;
    asio::ssl::context made(asio::ssl::context::tls_client);
    trust_authorities(made);
    made.set_verify_mode(asio::ssl::verify_peer);
    SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_2_VERSION);
    return tls_.emplace(std::move(made));
  }

  class Exchange;

  Loop& loop;
  const std::shared_ptr<base::Budget> places;  // of connections
  const std::shared_ptr<NameLookups> names = std::make_shared<NameLookups>();

 private:
  std::optional<asio::ssl::context> tls_;
};

// One call. Everything in it runs on the loop; whoever has no more need of the answer closes it.
class HttpClient::Impl::Exchange : public std::enable_shared_from_this<Exchange> {
 private:
  // A callback of Asio: opens a turn, ends with `trouble` and the reason if it failed, and goes on with `next` if not.
  auto on(auto next, std::string_view trouble) {
    return [self = shared_from_this(), next, trouble](const error_code& error, const auto&... values) {
      const Loop::Impl::Turn turn(self->loop_.impl());
      if (self->closed_) return;
      if (error && self->will_try_again(reason_of(error))) return;
      if (error) self->fail(std::string(trouble) + ": " + error.message());
      else next(*self, values...);
    };
  }

 public:
  Exchange(Impl& client, HttpUrl url, HttpCall call, base::Future<Outcome> outcome)
      : client_(client),
        loop_(client.loop),
        url_(std::move(url)),
        call_(std::move(call)),
        outcome_(std::move(outcome)),
        hold_(loop_.impl().activity.hold()),
        names_(client.names),
        socket_(loop_.impl().io) {
    expect_answer();
    request_ = request_text(call_, url_);
  }

  void start() {
    if (call_.timeout.count() > 0) {
      timeout_ = loop_.call_after(call_.timeout, [self = weak_from_this()] {
        if (const auto exchange = self.lock()) exchange->fail("no answer in time");
      });
    }
    find();
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    timeout_.cancel();
    again_.cancel();
    lookup_.leave();
    error_code ignored;
    socket_.close(ignored);
    hold_ = {};
  }

 private:
  void find() {
    error_code no_address;
    const auto address = asio::ip::make_address(url_.host, no_address);
    if (!no_address) return connect({address});
    lookup_ = names_->look_up(url_.host, [self = weak_from_this(), &loop = loop_](const NameLookups::Found& found) {
      loop.post([self, found] {
        if (const auto exchange = self.lock()) exchange->on_found(found);
      });
    });
  }

  void on_found(const NameLookups::Found& found) {
    if (closed_) return;
    if (!found.error) return connect(found.addresses);
    if (!will_try_again(found.error)) fail("the name cannot be resolved: " + found.error.message());
  }

  void connect(std::vector<asio::ip::address> addresses) {
    addresses_ = std::move(addresses);
    connect_to(0, asio::error::not_found);
  }

  // The first of the addresses from `index` on that takes a connection; `error` is what the one before failed with.
  // Asio's own way through a list hides why a socket could not be opened.
  void connect_to(size_t index, error_code error) {
    if (closed_) return;
    for (; index < addresses_.size() && !base::is_want_of_resources(error); ++index) {
      const tcp::endpoint endpoint(addresses_[index], url_.port);
      error_code ignored;
      socket_.close(ignored);
      error = {};
      if (socket_.open(endpoint.protocol(), error)) continue;
      return socket_.async_connect(endpoint, [self = shared_from_this(), index](const error_code& refusal) {
        const Loop::Impl::Turn turn(self->loop_.impl());
        if (refusal) self->connect_to(index + 1, self->reason_of_refusal(refusal, index));
        else if (!self->closed_) self->connected();
      });
    }
    if (!will_try_again(error)) fail("no connection: " + error.message());
  }

  error_code reason_of_refusal(const error_code& refusal, size_t index) const {
    const bool is_want = lacks_ports(refusal, {addresses_[index], url_.port});
    return is_want ? make_error_code(boost::system::errc::resource_unavailable_try_again) : refusal;
  }

  // A want of descriptors or ports is this server's own and passes: whoever called waits for its end, as long as the
  // call may take. Nothing has been asked of the other side yet.
  bool will_try_again(const error_code& error) {
    if (call_.timeout.count() == 0 || is_asking_ || !base::is_want_of_resources(error)) return false;
    error_code ignored;
    socket_.close(ignored);
    again_ = loop_.call_after(kWantPause, [self = weak_from_this()] {
      if (const auto exchange = self.lock()) exchange->find();
    });
    return true;
  }

  void connected() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    if (!url_.is_tls) return write(socket_);
    try {
      stream_.emplace(socket_, client_.tls());
    } catch (const boost::system::system_error& error) {
      if (!will_try_again(error.code())) fail("TLS is not to be had: " + error.code().message());
      return;
    }
    error_code no_address;  // an address is no name (RFC 6066, 3)
    (void)asio::ip::make_address(url_.host, no_address);
    if (no_address) SSL_set_tlsext_host_name(stream_->native_handle(), url_.host.c_str());
    stream_->set_verify_callback(asio::ssl::host_name_verification(url_.host));
    stream_->async_handshake(asio::ssl::stream_base::client,
                             on([](Exchange& self) { self.write(*self.stream_); }, "no TLS connection"));
  }

  template <class Stream>
  void write(Stream& stream) {
    is_asking_ = true;
    asio::async_write(stream, asio::buffer(request_),
                      on([&stream](Exchange& self, size_t) { self.read(stream); }, "the request could not be sent"));
  }

  template <class Stream>
  void read(Stream& stream) {
    const auto room = input_.prepare(kReadBytes);
    stream.async_read_some(room, [self = this->shared_from_this(), &stream](const error_code& error, size_t count) {
      const Loop::Impl::Turn turn(self->loop_.impl());
      if (self->closed_) return;
      self->input_.commit(count);
      if (self->understand(error)) self->read(stream);
    });
  }

  void expect_answer() {
    parser_.emplace();
    if (call_.on_piece)
      parser_->body_limit(boost::none);
    else
      parser_->body_limit(call_.answer_bytes_max);
    parser_->header_limit(static_cast<std::uint32_t>(call_.answer_bytes_max));
    parser_->eager(true);
    if (call_.method == "HEAD") parser_->skip(true);  // the body that its headers speak of never comes
  }

  // Of "103 Early Hints" and the like, behind which the answer itself comes.
  [[nodiscard]] bool is_interim() const {
    constexpr unsigned kSwitchingProtocols = 101;
    const unsigned status = parser_->get().result_int();
    return parser_->is_done() && status / 100 == 1 && status != kSwitchingProtocols;
  }

  // Gives the parser what has come. False: the other side does not get to its answer.
  bool parse(boost::beast::error_code& problem) {
    while (!parser_->is_done() && input_.size() > 0 && !problem) {
      const size_t used = parser_->put(input_.cdata(), problem);
      input_.consume(used);
      if (!is_interim()) break;
      if (++interim_answers_ > kInterimAnswersMax) return fail("too many interim answers"), false;
      expect_answer();
    }
    if (problem == boost::beast::http::error::need_more) problem = {};
    return true;
  }

  // Whether there is more to read.
  bool understand(const error_code& end) {
    boost::beast::error_code problem;
    if (!parse(problem)) return false;
    if (!problem && call_.on_piece && !give_pieces()) return false;
    // A parser that has seen nothing must not be told of the end.
    if (!problem && !parser_->is_done() && end && parser_->got_some()) parser_->put_eof(problem);
    // Also where the body's announced length says so, before any of it has come.
    if (problem == boost::beast::http::error::body_limit && !call_.needs_body) return succeed(), false;
    if (problem) return fail("the answer cannot be read: " + problem.message()), false;
    if (parser_->is_done()) return succeed(), false;
    if (end) return fail("the connection was lost: " + end.message()), false;
    return true;
  }

  // False: what came instead of an answer that goes on is too long.
  bool give_pieces() {
    constexpr unsigned kOk = 200;
    if (!parser_->is_header_done()) return true;
    std::string& body = parser_->get().body();
    if (parser_->get().result_int() == kOk) {
      if (!body.empty()) call_.on_piece(std::exchange(body, {}));
    } else if (body.size() > call_.answer_bytes_max) {
      return fail("the answer is too long"), false;
    }
    return true;
  }

  void succeed() {
    auto& message = parser_->get();
    HttpAnswer answer;
    answer.status = static_cast<int>(message.result_int());
    answer.reason = std::string(message.reason());
    for (const auto& field : message) {
      answer.headers.add(std::string(field.name_string()), std::string(field.value()));
    }
    if (parser_->is_done()) answer.body = std::move(message.body());
    finish(std::move(answer));
  }
  void fail(std::string reason) { finish(std::move(reason)); }
  void finish(Outcome outcome) {
    if (closed_) return;
    outcome_.set(std::move(outcome));
    close();
  }

  Impl& client_;  // outlived by calls on their way to be closed: used only by those that are not
  Loop& loop_;
  const HttpUrl url_;
  const HttpCall call_;
  const base::Future<Outcome> outcome_;
  base::Activity::Hold hold_;
  base::Alarm timeout_;
  base::Alarm again_;
  bool is_asking_ = false;
  const std::shared_ptr<NameLookups> names_;
  NameLookups::Wait lookup_;
  std::vector<asio::ip::address> addresses_;
  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> stream_;
  std::string request_;
  boost::beast::flat_buffer input_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> parser_;
  size_t interim_answers_ = 0;
  bool closed_ = false;
};

HttpClient::HttpClient(Loop& loop, size_t at_once_max) : impl_(std::make_unique<Impl>(loop, at_once_max)) {}
HttpClient::~HttpClient() = default;

Task<HttpAnswer> HttpClient::send(HttpCall call) {
  auto url = parse_http_url(call.url);
  if (!url) throw HttpFailed("the URL is not one of http or https");
  const std::shared_ptr<base::Budget> places = impl_->places;
  std::optional<std::chrono::nanoseconds> patience;
  if (call.timeout.count() > 0) patience = call.timeout;
  auto place = co_await places->take(1, patience);
  if (!place) throw HttpFailed("too many calls are under way");
  const base::Future<Outcome> outcome;
  auto exchange = std::make_shared<Impl::Exchange>(*impl_, *std::move(url), std::move(call), outcome);
  // Ends on its loop with whoever waits for it.
  struct Closer {
    Loop& loop;
    std::shared_ptr<Impl::Exchange> exchange;
    std::shared_ptr<base::Budget> places;
    base::Budget::Share place;
    ~Closer() {
      loop.post([exchange = std::move(exchange), places = std::move(places), place = std::move(place)]() mutable {
        exchange->close();
        place = {};
      });
    }
  };
  const Closer closer{impl_->loop, exchange, places, *std::move(place)};
  impl_->loop.post([exchange = std::move(exchange)] { exchange->start(); });
  Outcome result = co_await outcome;
  if (auto* reason = std::get_if<std::string>(&result)) throw HttpFailed(*reason);
  co_return std::get<HttpAnswer>(std::move(result));
}

}  // namespace tidemill::net

#include "services/s3/websites.h"

#include <optional>

#include "base/text.h"
#include "services/s3/cors.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/website_rules.h"
#include "wire/respond.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr int kFound = 302;
constexpr int kNotModified = 304;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out.push_back(c);
  }
  return out;
}

std::string_view name_of_status(int status) {
  switch (status) {
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 416:
      return "Requested Range Not Satisfiable";
    default:
      return status < 400 ? "Redirect" : "Error";
  }
}

net::Response html(int status, const wire::Error& error, const std::string& request_id, bool has_body) {
  net::Response response;
  response.status = status;
  response.headers.add("x-amz-request-id", request_id);
  response.headers.add("content-type", "text/html; charset=utf-8");
  if (!has_body) return response;
  const std::string title = base::cat(status, " ", name_of_status(status));
  std::string items =
      base::cat("<li>Code: ", escaped(error.code), "</li>\n<li>Message: ", escaped(error.message), "</li>\n");
  for (const auto& [name, value] : error.details) items += base::cat("<li>", name, ": ", escaped(value), "</li>\n");
  response.body = base::cat("<html>\n<head><title>", title, "</title></head>\n<body>\n<h1>", title, "</h1>\n<ul>\n",
                            items, "<li>RequestId: ", request_id, "</li>\n</ul>\n<hr/>\n</body>\n</html>\n");
  return response;
}

net::Response redirect(int status, const std::string& location, const std::string& request_id, bool has_body) {
  net::Response response = html(status, wire::Error("Redirect", status, location), request_id, has_body);
  response.headers.set("location", location);
  return response;
}

// One request for a page.
class Visit {
 public:
  Visit(Service& service, wire::Platform& platform, net::Request& request, wire::WebsiteCall call)
      : service_(service),
        platform_(platform),
        request_(request),
        call_(std::move(call)),
        has_body_(request.method != "HEAD") {}

  Task<net::Response> answer() {
    if (request_.method != "GET" && request_.method != "HEAD") {
      co_return refuse(errors::error("MethodNotAllowed", 405,
                                     "The specified method is not allowed against this resource.",
                                     {{"Method", request_.method}, {"ResourceType", "OBJECT"}}));
    }
    const auto snapshot = service_.store().snapshot();
    const auto bucket = co_await find_bucket(*snapshot, call_.bucket);
    if (!bucket) co_return refuse(errors::no_such_bucket(call_.bucket));
    const auto website = website_of(*bucket);
    if (!website) {
      co_return refuse(errors::error("NoSuchWebsiteConfiguration", 404,
                                     "The specified bucket does not have a website configuration",
                                     {{"BucketName", bucket->name}}));
    }
    if (!call_.may_read) co_return refuse(errors::access_denied());
    net::Response response = co_await answer_of(*bucket, *website);
    add_cors(*bucket, response);
    co_return response;
  }

 private:
  Task<net::Response> answer_of(const Bucket& bucket, const Website& website) {
    const auto path = net::percent_decode(call_.path);
    if (!path) co_return refuse(errors::error("InvalidURI", 400, "Couldn't parse the specified URI."));
    const std::string_view bare = std::string_view(*path).substr(path->starts_with('/') ? 1 : 0);
    if (const auto found = find_redirection(website, bare, 0, call_.origin)) co_return follow(*found);
    const std::string key = key_of_page(website, *path);
    std::optional<wire::Error> failed;
    try {
      co_return co_await page(bucket, key, std::nullopt);
    } catch (const wire::Error& error) {
      failed = error;
    }
    if (failed->http_status == kNotModified) co_return not_modified(*failed);
    const bool may_be_folder = failed->http_status == 404 && !bare.empty() && !bare.ends_with('/');
    if (may_be_folder && co_await is_there(bucket, base::cat(bare, "/", website.index_document->suffix))) {
      co_return redirect(kFound, base::cat(call_.path, "/"), call_.request_id, has_body_);
    }
    if (const auto found = find_redirection(website, bare, failed->http_status, call_.origin)) co_return follow(*found);
    if (website.error_document) {
      try {
        co_return co_await page(bucket, website.error_document->key, failed->http_status);
      } catch (const wire::Error&) {  // then the refusal itself is shown
      }
    }
    co_return refuse(*failed);
  }

  [[nodiscard]] wire::Context context_for(const Bucket& bucket) const {
    wire::Context context(platform_, bucket.account, bucket.region, call_.request_id, wire::Principal());
    context.endpoint = call_.origin;
    context.source_ip = call_.source_ip;
    context.user_agent = header("user-agent").value_or("");
    return context;
  }

  // The object as a page, of another status if it stands for what has gone wrong. Throws Error.
  Task<net::Response> page(const Bucket& bucket, std::string key, std::optional<int> status) {
    wire::Context context = context_for(bucket);
    ops::GetObject::Request asked;
    asked.bucket = bucket.name;
    asked.key = std::move(key);
    if (!status) {
      asked.if_match = header("if-match");
      asked.if_none_match = header("if-none-match");
      asked.if_modified_since = header("if-modified-since");
      asked.if_unmodified_since = header("if-unmodified-since");
      asked.range = header("range");
    }
    auto object = co_await platform_.registry.call<ops::GetObject>(context, asked);
    if (object.website_redirect_location) co_return follow({kMovedPermanently, *object.website_redirect_location});
    wire::WireResponse out;
    ops::GetObject::serialize(object, out);
    net::Response response = wire::answer(ops::GetObject::info, std::move(out), call_.request_id);
    if (status) response.status = *status;
    if (!has_body_) {
      response.body.clear();
      response.stream = nullptr;
      if (object.content_length) response.headers.set("content-length", std::to_string(*object.content_length));
    }
    co_return response;
  }

  Task<bool> is_there(const Bucket& bucket, std::string key) {
    wire::Context context = context_for(bucket);
    ops::HeadObject::Request asked;
    asked.bucket = bucket.name;
    asked.key = std::move(key);
    try {
      (void)co_await platform_.registry.call<ops::HeadObject>(context, asked);
      co_return true;
    } catch (const wire::Error&) {
      co_return false;
    }
  }

  [[nodiscard]] std::optional<std::string> header(std::string_view name) const {
    const auto value = request_.headers.find(name);
    return value ? std::optional(std::string(*value)) : std::nullopt;
  }

  [[nodiscard]] net::Response follow(const Redirection& found) const {
    return redirect(found.status, found.location, call_.request_id, has_body_);
  }
  [[nodiscard]] net::Response refuse(const wire::Error& error) const {
    return html(error.http_status, error, call_.request_id, has_body_);
  }
  [[nodiscard]] net::Response not_modified(const wire::Error& error) const {
    net::Response response;
    response.status = kNotModified;
    for (const auto& [name, value] : error.headers) response.headers.add(name, value);
    return response;
  }

  // Other pages may look into what they get where the bucket's rules say so.
  void add_cors(const Bucket& bucket, net::Response& response) const {
    const auto origin = header("origin");
    if (!origin) return;
    const CrossOriginRequest asked{*origin, request_.method, {}};
    const auto rules = rules_of(bucket);
    const auto* rule = find_rule(rules, asked);
    if (!rule) return;
    for (const auto& [name, value] : cors_headers(*rule, asked)) response.headers.set(name, value);
  }

  Service& service_;
  wire::Platform& platform_;
  net::Request& request_;
  const wire::WebsiteCall call_;
  const bool has_body_;
};

}  // namespace

Task<net::Response> Websites::answer(net::Request& request, wire::WebsiteCall call) {
  Visit visit(service_, platform_, request, std::move(call));
  co_return co_await visit.answer();
}

}  // namespace tidemill::s3

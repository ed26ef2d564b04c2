#include "wire/pipeline/cross_origin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/pipeline/presigned.h"
#include "wire/pipeline/unknown_request.h"
#include "wire/respond.h"

namespace tidemill::wire {

namespace {

constexpr int kForbidden = 403;
constexpr std::string_view kPreflightSeconds = "172800";
constexpr std::string_view kVary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

// What a page shows without being able to look into it.
constexpr std::array<std::string_view, 4> kShown{"image", "audio", "video", "track"};

const ErrorStyle kBucketStyle{ErrorForm::rest_xml, "application/xml"};

HeaderList headers_for_allowed() {
  return {{"Access-Control-Allow-Origin", "*"}, {"Access-Control-Expose-Headers", "*"}, {"Vary", "Origin"}};
}

net::Response preflight_answer(const net::Request& request, HeaderList headers) {
  net::Response response;
  response.headers.add("x-amzn-RequestId", new_request_id(false));
  for (auto& [name, value] : headers) response.headers.set(name, value);
  // Chrome asks so before a page from a network may reach this machine.
  if (request.headers.get("access-control-request-private-network") == "true") {
    response.headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return response;
}

net::Response allow_preflight(const net::Request& request) {
  HeaderList headers{{"Access-Control-Allow-Origin", "*"},
                     {"Access-Control-Allow-Methods", std::string(request.headers.get("access-control-request-method"))},
                     {"Access-Control-Max-Age", std::string(kPreflightSeconds)},
                     {"Vary", std::string(kVary)}};
  const std::string_view asked = request.headers.get("access-control-request-headers");
  if (!asked.empty()) headers.emplace_back("Access-Control-Allow-Headers", asked);
  return preflight_answer(request, std::move(headers));
}

net::Response refuse_preflight_to_bucket(std::string_view method, const BucketOrigins::Judgement& judgement) {
  const char* why = judgement.has_rules
                        ? "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, "
                          "request method / Access-Control-Request-Method or Access-Control-Request-Headers are not "
                          "whitelisted by the resource's CORS spec."
                        : "CORSResponse: CORS is not enabled for this bucket.";
  Error error("AccessForbidden", kForbidden, why);
  error.details = {{"Method", std::string(method)}, {"ResourceType", judgement.has_bucket ? "OBJECT" : "BUCKET"}};
  return answer_error(kBucketStyle, error, new_request_id(true));
}

// An object that another site's page shows (an image, a film) or links to, by an address that its owner has signed and
// given away: that is what such addresses are for. The page learns nothing but that it is there.
bool is_shown_by_signed_address(const net::Request& request, const Identity& identity) {
  if (identity.kind != Identity::Kind::operation || !identity.is_for_bucket() || !identity.head.origin.empty()) return false;
  const std::string_view method = identity.endpoint->operation->info.method;
  if ((method != "GET" && method != "HEAD") || !is_presigned(request.target)) return false;
  const std::string_view use = request.headers.get("sec-fetch-dest");
  return use == "document" || std::ranges::find(kShown, use) != kShown.end();
}

}  // namespace

Task<BucketOrigins::Judgement> CrossOrigin::judge(const net::Request& request, const Identity& identity,
                                                  std::string_view origin) const {
  if (!buckets_ || !identity.is_for_bucket() || origin.empty()) return Task<BucketOrigins::Judgement>::ready();
  CrossOriginRequest asked{std::string(origin), std::string(identity.head.method), {}};
  if (identity.kind == Identity::Kind::preflight) {
    asked.headers = split_list(request.headers.get("access-control-request-headers"));
  }
  return buckets_->judge(std::string(identity.bucket()), std::move(asked));
}

net::Response CrossOrigin::answer_preflight(const net::Request& request, const Identity& identity, const Page& page,
                                            BucketOrigins::Judgement judgement) const {
  const std::string_view method = request.headers.get("access-control-request-method");
  const bool has_no_rules = identity.is_for_bucket() && !judgement.has_rules;
  if (method.empty() && !page.origin.empty() && has_no_rules) return refuse_preflight_to_bucket(method, judgement);
  if (page.origin.empty() || method.empty()) {
    const Error error("BadRequest", 400, "Insufficient information. Origin request header needed.");
    return answer_error(kBucketStyle, error, new_request_id(true));
  }
  if (judgement.headers) return preflight_answer(request, *std::move(judgement.headers));
  // Rules that do not allow it count on this machine, too: whoever writes some wants to see them work.
  if (page.standing == PageStanding::allowed && !judgement.has_rules) return allow_preflight(request);
  if (identity.is_for_bucket()) return refuse_preflight_to_bucket(method, judgement);
  return refuse_access(routes_, identity, foreign_page_line(page));
}

Task<Passage> CrossOrigin::pass(const net::Request& request, const Identity& identity, Page page) const {
  Passage passage;
  BucketOrigins::Judgement judgement = co_await judge(request, identity, identity.head.origin);
  if (identity.kind == Identity::Kind::preflight) {
    passage.answer = answer_preflight(request, identity, page, std::move(judgement));
  } else if (judgement.headers) {
    passage.headers = *std::move(judgement.headers);
  } else if (page.standing == PageStanding::allowed) {
    if (!judgement.has_rules) passage.headers = headers_for_allowed();
  } else if (is_shown_by_signed_address(request, identity)) {
    // Whatever the object is, it does not get to act as a page of this server.
    passage.headers = {{"Content-Security-Policy", "sandbox"}};
  } else {
    passage.answer = refuse_access(routes_, identity, foreign_page_line(page));
  }
  co_return passage;
}

}  // namespace tidemill::wire

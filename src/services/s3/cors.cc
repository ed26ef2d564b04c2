#include "services/s3/cors.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr std::array<std::string_view, 5> kMethods{"GET", "PUT", "POST", "DELETE", "HEAD"};

void check_wildcards(const std::vector<std::string>& patterns, std::string_view element) {
  for (const std::string& pattern : patterns) {
    if (std::ranges::count(pattern, '*') <= 1) continue;
    throw errors::invalid_request(base::cat(element, " \"", pattern, "\" can not have more than one wildcard."));
  }
}

void check_rules(const std::vector<shapes::CORSRule>& rules) {
  if (rules.empty() || rules.size() > kCorsRulesMax) throw errors::malformed_xml();
  for (const auto& rule : rules) {
    if (rule.allowed_methods.empty() || rule.allowed_origins.empty()) throw errors::malformed_xml();
    for (const std::string& method : rule.allowed_methods) {
      if (contains(kMethods, method)) continue;
      throw errors::invalid_request(
          base::cat("Found unsupported HTTP method in CORS config. Unsupported method is ", method));
    }
    check_wildcards(rule.allowed_origins, "AllowedOrigin");
    if (rule.allowed_headers) check_wildcards(*rule.allowed_headers, "AllowedHeader");
  }
}

bool allows(const shapes::CORSRule& rule, const CrossOriginRequest& request) {
  const auto fits = [](const std::vector<std::string>& patterns, std::string_view text) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, text); });
  };
  if (!contains(rule.allowed_methods, request.method) || !fits(rule.allowed_origins, request.origin)) {
    return false;
  }
  std::vector<std::string> headers;
  for (const std::string& header : rule.allowed_headers.value_or(std::vector<std::string>())) {
    headers.push_back(lower(header));
  }
  return std::ranges::all_of(request.headers, [&](const std::string& header) { return fits(headers, lower(header)); });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += base::cat(text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  return text.size() + 1 >= pattern.size() && text.starts_with(pattern.substr(0, star)) &&
         text.ends_with(pattern.substr(star + 1));
}

const shapes::CORSRule* find_rule(const std::vector<shapes::CORSRule>& rules, const CrossOriginRequest& request) {
  const auto found = std::ranges::find_if(rules, [&](const auto& rule) { return allows(rule, request); });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<shapes::CORSRule> rules_of(const Bucket& bucket) {
  const std::string* document = bucket.setting(kCors);
  if (!document) return {};
  return read_document<ops::PutBucketCors>(*document).cors_configuration.cors_rules;
}

wire::HeaderList cors_headers(const shapes::CORSRule& rule, const CrossOriginRequest& request) {
  const bool anybody = contains(rule.allowed_origins, "*");
  wire::HeaderList headers{{"Access-Control-Allow-Origin", anybody ? "*" : request.origin},
                           {"Access-Control-Allow-Methods", joined(rule.allowed_methods)}};
  if (!request.headers.empty()) headers.emplace_back("Access-Control-Allow-Headers", lower(joined(request.headers)));
  if (rule.expose_headers && !rule.expose_headers->empty()) {
    headers.emplace_back("Access-Control-Expose-Headers", joined(*rule.expose_headers));
  }
  if (rule.max_age_seconds) headers.emplace_back("Access-Control-Max-Age", std::to_string(*rule.max_age_seconds));
  if (!anybody) headers.emplace_back("Access-Control-Allow-Credentials", "true");
  headers.emplace_back("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
  return headers;
}

Task<ops::PutBucketCors::Response> put_bucket_cors(Service& service, wire::Context&,
                                                   const shapes::PutBucketCorsInput& request) {
  check_rules(request.cors_configuration.cors_rules);
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    bucket.settings[kCors] = write_document<ops::GetBucketCors>({.cors_rules = request.cors_configuration.cors_rules});
  });
  co_return shapes::PutBucketCorsOutput{};
}

Task<shapes::GetBucketCorsOutput> get_bucket_cors(Service& service, wire::Context&,
                                                  const shapes::GetBucketCorsInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  if (!bucket.setting(kCors)) {
    throw errors::error("NoSuchCORSConfiguration", 404, "The CORS configuration does not exist",
                        {{"BucketName", bucket.name}});
  }
  co_return shapes::GetBucketCorsOutput{.cors_rules = rules_of(bucket)};
}

Task<ops::DeleteBucketCors::Response> delete_bucket_cors(Service& service, wire::Context&,
                                                         const shapes::DeleteBucketCorsInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kCors);
  co_return shapes::DeleteBucketCorsOutput{};
}

}  // namespace tidemill::s3

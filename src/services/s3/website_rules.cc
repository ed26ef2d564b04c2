#include "services/s3/website_rules.h"

#include <charconv>

#include "base/text.h"
#include "services/s3/errors.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void check_protocol(const std::optional<std::string>& protocol) {
  if (!protocol || *protocol == "http" || *protocol == "https") return;
  throw errors::invalid_request(
      "Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.");
}

void check_redirect(const shapes::Redirect& redirect) {
  check_protocol(redirect.protocol);
  if (redirect.replace_key_prefix_with && redirect.replace_key_with) {
    throw errors::invalid_request("You can only define ReplaceKeyPrefix or ReplaceKey but not both.");
  }
  if (redirect.http_redirect_code) {
    const auto code = number_of(*redirect.http_redirect_code);
    if (!code || *code <= 300 || *code >= 400) {
      throw errors::invalid_request(base::cat("The provided HTTP redirect code (", *redirect.http_redirect_code,
                                              ") is not valid. Valid codes are 3XX except 300."));
    }
  }
}

void check_condition(const shapes::Condition& condition) {
  if (!condition.http_error_code_returned_equals && !condition.key_prefix_equals) {
    throw errors::invalid_request(
        "Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be "
        "present.");
  }
  if (!condition.http_error_code_returned_equals) return;
  const auto code = number_of(*condition.http_error_code_returned_equals);
  if (!code || *code < 400 || *code > 599) {
    throw errors::invalid_request(base::cat("The provided HTTP error code (",
                                            *condition.http_error_code_returned_equals,
                                            ") is not valid. Valid codes are 4XX or 5XX."));
  }
}

bool means(const shapes::RoutingRule& rule, std::string_view key, int status) {
  const auto& condition = rule.condition;
  const bool wants_error = condition && condition->http_error_code_returned_equals;
  if (wants_error ? number_of(*condition->http_error_code_returned_equals) != status : status != 0) return false;
  return !condition || !condition->key_prefix_equals || key.starts_with(*condition->key_prefix_equals);
}

std::string base_of(const std::optional<std::string>& protocol, const std::optional<std::string>& host,
                    std::string_view origin) {
  const size_t colon = origin.find("://");
  const std::string_view own_protocol = origin.substr(0, colon);
  const std::string_view own_host = colon == std::string_view::npos ? "" : origin.substr(colon + 3);
  return base::cat(protocol ? std::string_view(*protocol) : own_protocol, "://",
                   host ? std::string_view(*host) : own_host, "/");
}

// As paths have it: a blank as %20.
std::string path_of(std::string_view key) {
  std::string path;
  for (const char c : encode_key(key)) {
    if (c == '+')
      path += "%20";
    else
      path.push_back(c);
  }
  return path;
}

}  // namespace

void check_website(const Website& website) {
  if (website.redirect_all_requests_to) {
    if (website.index_document || website.error_document || website.routing_rules) {
      throw errors::invalid_argument(
          "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.", "RedirectAllRequestsTo",
          "not null");
    }
    check_protocol(website.redirect_all_requests_to->protocol);
    return;
  }
  if (!website.index_document) {
    throw errors::invalid_argument(
        "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty", "IndexDocument", "null");
  }
  const std::string& suffix = website.index_document->suffix;
  if (suffix.empty() || suffix.contains('/')) {
    throw errors::invalid_argument("The IndexDocument Suffix is not well formed", "IndexDocument", suffix);
  }
  if (website.error_document && website.error_document->key.empty()) {
    throw errors::invalid_argument("The ErrorDocument Key is not well formed", "ErrorDocument", "");
  }
  if (!website.routing_rules) return;
  if (website.routing_rules->empty()) throw errors::malformed_xml();
  if (website.routing_rules->size() > kRoutingRulesMax) {
    throw errors::invalid_request(
        base::cat("50 routing rules are allowed, and ", website.routing_rules->size(), " were given"));
  }
  for (const auto& rule : *website.routing_rules) {
    if (rule.condition) check_condition(*rule.condition);
    check_redirect(rule.redirect);
  }
}

std::optional<Website> website_of(const Bucket& bucket) {
  const std::string* document = bucket.setting(kWebsite);
  if (!document) return std::nullopt;
  return read_document<ops::PutBucketWebsite>(*document).website_configuration;
}

std::optional<Redirection> find_redirection(const Website& website, std::string_view key, int status,
                                            std::string_view origin) {
  if (const auto& all = website.redirect_all_requests_to) {
    return Redirection{kMovedPermanently, base_of(all->protocol, all->host_name, origin) + path_of(key)};
  }
  if (!website.routing_rules) return std::nullopt;
  for (const auto& rule : *website.routing_rules) {
    if (!means(rule, key, status)) continue;
    const shapes::Redirect& redirect = rule.redirect;
    std::string target(key);
    if (redirect.replace_key_with) target = *redirect.replace_key_with;
    if (redirect.replace_key_prefix_with) {
      const size_t prefix =
          rule.condition && rule.condition->key_prefix_equals ? rule.condition->key_prefix_equals->size() : 0;
      target = *redirect.replace_key_prefix_with + target.substr(prefix);
    }
    const int code = redirect.http_redirect_code ? number_of(*redirect.http_redirect_code).value_or(kMovedPermanently)
                                                 : kMovedPermanently;
    return Redirection{code, base_of(redirect.protocol, redirect.host_name, origin) + path_of(target)};
  }
  return std::nullopt;
}

std::string key_of_page(const Website& website, std::string_view path) {
  std::string key(path.substr(path.starts_with('/') ? 1 : 0));
  if (key.empty() || key.ends_with('/')) key += website.index_document->suffix;
  return key;
}

}  // namespace tidemill::s3

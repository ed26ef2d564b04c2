#include "rights/request_facts.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::rights {

using lang::policies::Values;

namespace {

// A key of AWS's that requests have here, too, and whose value nobody tells.
struct Untold {
  std::string_view key;     // with '/' at the end: all that begin so
  std::string_view action;  // how the actions begin that have it
};

constexpr auto kUntold = std::to_array<Untold>({
    {"aws:referer", ""},
    {"aws:resourcetag/", ""},
    {"cloudformation:changesetname", "cloudformation:"},
    {"cloudformation:resourcetypes", "cloudformation:"},
    {"cloudformation:templateurl", "cloudformation:"},
    {"ecr:resourcetag/", "ecr:"},
    {"events:detail-type", "events:PutRule"},
    {"events:source", "events:PutRule"},
    {"iam:associatedresourcearn", "iam:PassRole"},
    {"iam:resourcetag/", "iam:"},
    {"kms:encryptionalgorithm", "kms:"},
    {"kms:keyorigin", "kms:"},
    {"kms:keyspec", "kms:"},
    {"kms:keyusage", "kms:"},
    {"kms:macalgorithm", "kms:"},
    {"kms:requestalias", "kms:"},
    {"kms:resourcealiases", "kms:"},
    {"kms:viaservice", "kms:"},
    {"s3:authtype", "s3:"},
    {"s3:object-lock-remaining-retention-days", "s3:PutObject"},
    {"s3:signatureage", "s3:"},
    {"s3:x-amz-content-sha256", "s3:"},
    {"secretsmanager:resourcetag/", "secretsmanager:"},
    {"ssm:resourcetag/", "ssm:"},
});

bool is_untold(std::string_view key, std::string_view action) {
  return std::ranges::any_of(kUntold, [&](const Untold& untold) {
    const bool is_it = untold.key.ends_with('/') ? key.starts_with(untold.key) : key == untold.key;
    return is_it && action.starts_with(untold.action);
  });
}

// A function's session, which its own code acts in.
bool is_function(const wire::Standing* standing) {
  return standing && !standing->role_arn.empty() && standing->service.empty();
}

}  // namespace

bool RequestFacts::is_unknown(std::string_view key) const {
  if (more_ && more_->is_unknown(key)) return true;
  if (key == "lambda:sourcefunctionarn") return is_function(context_.principal.standing());
  if (!is_untold(key, ask_.action) || find(key)) return false;
  // What is asked of no resource has none of its tags.
  return ask_.resource != "*" || !key.contains("resourcetag/");
}

size_t RequestFacts::bytes() const {
  size_t bytes = context_.user_agent.size() + actor_.facts.bytes() + (more_ ? more_->bytes() : 0);
  for (const auto& [name, values] : ask_.facts) bytes += lang::policies::bytes_of(values);
  return bytes;
}

// Services ask each other, and nobody listens on the way.
bool RequestFacts::is_secure() const {
  return context_.source_ip.empty() || context_.endpoint.starts_with("https:");
}

bool RequestFacts::is_signed() const {
  using Kind = wire::Principal::Kind;
  return context_.principal.kind() == Kind::access_key || context_.principal.kind() == Kind::role;
}

std::string RequestFacts::global(std::string_view key) const {
  const wire::Standing* standing = context_.principal.standing();
  // Of a role that a service has taken on the target is not told for what.
  const bool is_by_service = standing && standing->role_arn.empty() && !standing->source_arn.empty();
  if (key == "aws:sourceip") return context_.source_ip;
  if (key == "aws:useragent") return context_.user_agent;
  if (key == "aws:requestedregion") return context_.region;
  if (key == "aws:resourceaccount" || key == "s3:resourceaccount") return std::string(resource_account_);
  if (key == "aws:securetransport") return is_secure() ? "true" : "false";
  if (key == "s3:tlsversion") return is_secure() ? "1.2" : "";  // the least that is spoken here
  if (key == "s3:signatureversion") return is_signed() ? "AWS4-HMAC-SHA256" : "";
  if (key == "aws:currenttime") return base::iso_milliseconds(context_.now()) + "Z";
  // Services take a role on anew for what they do; of other sessions it stands in the actor's facts.
  if (key == "aws:tokenissuetime" && standing && !standing->role_arn.empty()) {
    return base::iso_milliseconds(context_.now()) + "Z";
  }
  if (key == "aws:epochtime") {
    const auto since = context_.now().time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(since).count());
  }
  // Under a role that a service has taken on nobody calls by way of it (global condition keys, aws:ViaAWSService).
  const bool is_via_service = standing && standing->role_arn.empty() && !standing->service.empty();
  if (key == "aws:viaawsservice") return is_via_service ? "true" : "false";
  if (!is_by_service) return "";
  if (key == "aws:sourcearn") return standing->source_arn;
  if (key == "aws:sourceaccount" || key == "aws:sourceowner") {
    // A bucket's tells none; whose it is stands in the actor's facts where somebody knows it.
    const auto arn = wire::parse_arn(standing->source_arn);
    return arn ? std::string(arn->account) : "";
  }
  return "";
}

const Values* RequestFacts::find(std::string_view key) const {
  if (const auto found = found_.find(key); found != found_.end()) return &found->second;
  for (const auto& [name, values] : ask_.facts) {
    if (lang::policies::lower_case(name) == key) return &found_.emplace(std::string(key), values).first->second;
  }
  if (const Values* values = actor_.facts.find(key)) return values;
  if (const Values* values = more_ ? more_->find(key) : nullptr) return values;
  std::string value = global(key);
  if (value.empty()) return nullptr;
  return &found_.emplace(std::string(key), Values{std::move(value)}).first->second;
}

}  // namespace tidemill::rights

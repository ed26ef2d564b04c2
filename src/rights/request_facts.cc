#include "rights/request_facts.h"

#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::rights {

using lang::policies::Values;

std::string RequestFacts::global(std::string_view key) const {
  const wire::Standing* standing = context_.principal.standing();
  // Of a role that a service has taken on the target is not told for what.
  const bool is_by_service = standing && standing->role_arn.empty() && !standing->source_arn.empty();
  if (key == "aws:sourceip") return context_.source_ip;
  if (key == "aws:useragent") return context_.user_agent;
  if (key == "aws:requestedregion") return context_.region;
  if (key == "aws:resourceaccount" || key == "s3:resourceaccount") return std::string(resource_account_);
  if (key == "aws:securetransport") return context_.endpoint.starts_with("https:") ? "true" : "false";
  if (key == "aws:currenttime") return base::iso_milliseconds(context_.now()) + "Z";
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

#include "services/sqs/queue_address.h"

#include <algorithm>

#include "base/text.h"
#include "services/sqs/errors.h"
#include "wire/arn.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kService = "sqs";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string QueueAddress::arn() const { return wire::Arn{.service = kService, .region = region, .account = account, .resource = name}.text(); }

std::string QueueAddress::url(const wire::Context& context) const {
  return base::cat(context.endpoint, "/", account, "/", name);
}

bool is_queue_name(std::string_view name) {
  if (name.size() > kQueueNameSizeMax) return false;
  if (name.ends_with(kFifoSuffix)) name.remove_suffix(kFifoSuffix.size());
  return !name.empty() && std::ranges::all_of(name, is_name_character);
}

QueueAddress parse_queue_url(const wire::Context& context, const std::optional<std::string>& url) {
  std::string_view rest = required(url, "QueueUrl");
  if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    rest.remove_prefix(scheme + 3);
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));
  }
  if (rest.starts_with('/')) rest.remove_prefix(1);
  QueueAddress address{context.account, context.region, std::string(rest)};
  if (const size_t slash = rest.rfind('/'); slash != std::string_view::npos) {
    address.name = rest.substr(slash + 1);
    std::string_view owner = rest.substr(0, slash);
    if (const size_t before = owner.rfind('/'); before != std::string_view::npos) owner.remove_prefix(before + 1);
    // Accounts do not see each other's queues.
    if (owner != context.account) throw queue_does_not_exist();
  }
  if (!is_queue_name(address.name)) throw queue_does_not_exist();
  return address;
}

std::optional<QueueAddress> parse_queue_arn(std::string_view arn) {
  const auto parts = wire::parse_arn_of(kService, arn);
  if (!parts) return std::nullopt;
  QueueAddress address{std::string(parts->account), std::string(parts->region), std::string(parts->resource)};
  if (address.account.empty() || address.region.empty() || !is_queue_name(address.name)) return std::nullopt;
  return address;
}

}  // namespace tidemill::sqs

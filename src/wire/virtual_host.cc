#include "wire/virtual_host.h"

#include <algorithm>

namespace tidemill::wire {

namespace {

bool is_address(std::string_view host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// Where S3's own label begins, with its dot: ".s3.", ".s3-us-west-2.", or ".s3" at the end. A bucket's name may hold such
// a label too, so the last one counts.
size_t find_s3_label(std::string_view host) {
  if (host.ends_with(".s3")) return host.size() - 3;
  const size_t dotted = host.rfind(".s3.");
  if (dotted != std::string_view::npos) return dotted;
  const size_t dashed = host.find(".amazonaws.com") == std::string_view::npos ? host.npos : host.rfind(".s3-");
  const bool is_website = dashed != host.npos && host.substr(dashed).starts_with(".s3-website");
  return is_website ? host.npos : dashed;
}

// What stands before ".<base>" at the end of `host`; "" for nothing.
std::string_view label_before(std::string_view host, std::string_view base) {
  if (base.empty() || is_address(base) || host.size() <= base.size() + 1 || !host.ends_with(base)) return {};
  const std::string_view rest = host.substr(0, host.size() - base.size());
  return rest.ends_with('.') ? rest.substr(0, rest.size() - 1) : std::string_view();
}

// The same for "localhost" with or without a domain behind it, as in names that resolve to this machine.
std::string_view label_before_localhost(std::string_view host) {
  constexpr std::string_view kLocal = ".localhost";
  const size_t at = host.rfind(kLocal);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = host.substr(at + kLocal.size());
  return rest.empty() || rest.starts_with('.') ? host.substr(0, at) : std::string_view();
}

}  // namespace

std::optional<std::string> bucket_of_host(std::string_view host_header, std::span<const std::string> own_names,
                                          const std::function<bool(std::string_view)>& may_be_bucket) {
  std::string host(without_port(host_header));
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (is_address(host)) return std::nullopt;
  if (const size_t label = find_s3_label(host); label != std::string::npos) return host.substr(0, label);
  std::string_view name;
  for (const std::string& own : own_names) {
    if (name.empty()) name = label_before(host, own);
  }
  if (name.empty()) name = label_before_localhost(host);
  if (name.empty() || name == "s3" || name.starts_with("s3.") || !may_be_bucket(name)) return std::nullopt;
  return std::string(name);
}

}  // namespace tidemill::wire

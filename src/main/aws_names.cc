#include "main/aws_names.h"

#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "main/tls_files.h"
#include "wire/regions.h"

namespace tidemill {

namespace {

using base::cat;

constexpr uint16_t kHttpsPort = 443;
constexpr uint16_t kHttpPort = 80;

// A wildcard stands for one label.
std::vector<std::string> certified_names() {
  std::vector<std::string> names{"*.amazonaws.com", "*.s3.amazonaws.com", "*.queue.amazonaws.com"};
  for (const std::string_view region : wire::kRegions) {
    for (const std::string_view of :
         {"", "s3.", "s3.dualstack.", "dynamodb.", "streams.dynamodb.", "ddb.", "ecr.", "dkr.ecr."}) {
      names.push_back(cat("*.", of, region, ".amazonaws.com"));
    }
    names.push_back(cat("*.s3-", region, ".amazonaws.com"));
    names.push_back(cat("*.", region, ".api.aws"));
    names.push_back(cat("*.lambda-url.", region, ".on.aws"));
  }
  return names;
}

// 127.77.17.214 of port 4566.
std::string address_of(uint16_t port) { return cat("127.77.", port >> 8, ".", port & 0xFF); }

}  // namespace

AwsNames::AwsNames(const Options& options, std::span<net::Loop* const> loops, uint16_t port,
                   const net::ServerLimits& limits, const net::Handler& handler)
    : address_(address_of(port)) {
  names_ =
      std::make_unique<net::NameServer>(address_, std::vector<std::string>{".amazonaws.com", ".api.aws", ".on.aws"});
  Tls tls = vouch_for(options, certified_names());
  authority_ = std::move(tls.authorities);
  encrypted_ = std::make_unique<net::HttpServer>(loops, address_, kHttpsPort, limits, handler, net::Admission(),
                                                 std::move(tls.identity));
  plain_ = std::make_unique<net::HttpServer>(loops, address_, kHttpPort, limits, handler);
}

void AwsNames::start_accepting() {
  encrypted_->start_accepting();
  plain_->start_accepting();
}

void AwsNames::stop_accepting() {
  encrypted_->stop_accepting();
  plain_->stop_accepting();
}

}  // namespace tidemill

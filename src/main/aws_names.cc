#include "main/aws_names.h"

#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "main/tls_files.h"

namespace tidemill {

namespace {

using base::cat;

constexpr uint16_t kHttpsPort = 443;
constexpr uint16_t kHttpPort = 80;

// Whose names clients call: those of the AWS account guide, "AWS Regions".
constexpr std::array<std::string_view, 34> kRegions{
    "af-south-1",     "ap-east-1",      "ap-east-2",      "ap-northeast-1", "ap-northeast-2", "ap-northeast-3",
    "ap-south-1",     "ap-south-2",     "ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4",
    "ap-southeast-5", "ap-southeast-6", "ap-southeast-7", "ca-central-1",   "ca-west-1",      "eu-central-1",
    "eu-central-2",   "eu-north-1",     "eu-south-1",     "eu-south-2",     "eu-west-1",      "eu-west-2",
    "eu-west-3",      "il-central-1",   "me-central-1",   "me-south-1",     "mx-central-1",   "sa-east-1",
    "us-east-1",      "us-east-2",      "us-west-1",      "us-west-2"};

// A wildcard stands for one label.
std::vector<std::string> certified_names() {
  std::vector<std::string> names{"*.amazonaws.com", "*.s3.amazonaws.com", "*.queue.amazonaws.com"};
  for (const std::string_view region : kRegions) {
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

// Gives the pages of buckets' websites to browsers: GET and HEAD, unsigned, by what the buckets' owners let everybody
// read.
#pragma once

#include "services/s3/service.h"
#include "wire/pipeline/website.h"

namespace tidemill::s3 {

class Websites final : public wire::Websites {
 public:
  // What is passed in outlives this.
  Websites(Service& service, wire::Platform& platform) : service_(service), platform_(platform) {}

  Task<net::Response> answer(net::Request& request, wire::WebsiteCall call) override;

 private:
  Service& service_;
  wire::Platform& platform_;
};

}  // namespace tidemill::s3

// Answers requests at the URLs of functions: lets them in as the URL's authentication says, runs the function with what was
// asked as its event, and answers with what it says, at once or as it comes.
#pragma once

#include "services/lambda/service.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/pipeline/function_url.h"

namespace tidemill::lambda {

class UrlRequests final : public wire::FunctionUrls {
 public:
  // Both outlive this.
  UrlRequests(Service& service, wire::Platform& platform)
      : service_(service), platform_(platform), clock_(platform.clock), usage_(platform.usage) {}

  Task<net::Response> answer(net::Request& request, wire::UrlCall call) override;

 private:
  Service& service_;
  wire::Platform& platform_;
  base::Clock& clock_;
  wire::PlatformMetrics* usage_;
};

}  // namespace tidemill::lambda

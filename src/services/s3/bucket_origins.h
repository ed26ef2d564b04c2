// What a bucket's CORS rules say of the requests of web pages: asked by the request pipeline, for preflights and for the
// requests themselves.
#pragma once

#include <string>

#include "services/s3/service.h"
#include "wire/pipeline/cross_origin.h"

namespace tidemill::s3 {

class BucketOrigins final : public wire::BucketOrigins {
 public:
  // It outlives this.
  explicit BucketOrigins(Service& service) : service_(service) {}

  Task<Judgement> judge(std::string bucket, wire::CrossOriginRequest request) override;

 private:
  Service& service_;
};

}  // namespace tidemill::s3

#include "services/s3/bucket_origins.h"

#include "services/s3/bucket.h"
#include "services/s3/cors.h"

namespace tidemill::s3 {

Task<BucketOrigins::Judgement> BucketOrigins::judge(std::string name, wire::CrossOriginRequest request) {
  Judgement judgement;
  const auto snapshot = service_.store().snapshot();
  const auto bucket = co_await find_bucket(*snapshot, std::move(name));
  if (!bucket) co_return judgement;
  const auto rules = rules_of(*bucket);
  judgement.has_bucket = true;
  judgement.has_rules = !rules.empty();
  if (const auto* rule = find_rule(rules, request)) judgement.headers = cors_headers(*rule, request);
  co_return judgement;
}

}  // namespace tidemill::s3

// What a request of a web page may do, and what its browser is told: preflights, the headers of answers, refusals.
// The page itself is told apart in origin_check.h.
//
// A page that is allowed gets from every service what AWS's services give any page (their signatures are their guard;
// here nobody checks them yet): "*", what it asks for, for two days. A page of another site may only what the rules
// of a bucket allow it, and only with that bucket, whatever service the request could be taken for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "net/http.h"
#include "wire/pipeline/identify.h"
#include "wire/pipeline/origin_check.h"

namespace tidemill::wire {

// What a browser says of the request that it is about to make, or makes.
struct CrossOriginRequest {
  std::string origin;
  std::string method;
  std::vector<std::string> headers;  // of a preflight
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// The rules that buckets have for pages: services/s3 knows them. Any thread.
class BucketOrigins {
 public:
  struct Judgement {
    bool has_bucket = false;
    bool has_rules = false;
    std::optional<HeaderList> headers;  // of the answer, if a rule allows the request
  };
  virtual ~BucketOrigins() = default;
  virtual Task<Judgement> judge(std::string bucket, CrossOriginRequest request) = 0;
};

// What becomes of a page's request.
struct Passage {
  std::optional<net::Response> answer;  // it ends here: a refusal, or a preflight
  HeaderList headers;                   // otherwise: what its answer carries on top
};

class CrossOrigin {
 public:
  // `buckets` may be null: none has rules. All outlives this.
  CrossOrigin(const Routes& routes, BucketOrigins* buckets) : routes_(routes), buckets_(buckets) {}

  // Of a request that a page has made, or of a preflight.
  Task<Passage> pass(const net::Request& request, const Identity& identity, Page page) const;

 private:
  [[nodiscard]] Task<BucketOrigins::Judgement> judge(const net::Request& request, const Identity& identity,
                                                     std::string_view origin) const;
  [[nodiscard]] net::Response answer_preflight(const net::Request& request, const Identity& identity, const Page& page,
                                               BucketOrigins::Judgement judgement) const;

  const Routes& routes_;
  BucketOrigins* buckets_;
};

}  // namespace tidemill::wire

#include "services/cloudwatch/page_token.h"

#include "base/base64.h"
#include "base/ordered.h"
#include "services/cloudwatch/errors.h"

namespace tidemill::cloudwatch {

std::string encode_page_token(const PagePlace& place) {
  std::string bytes;
  base::append_u64(bytes, place.item);
  base::append_u64(bytes, place.offset);
  return base::base64_encode(bytes);
}

PagePlace decode_page_token(const std::string& token) {
  const auto bytes = base::base64_decode(token);
  if (!bytes) throw invalid_next_token();
  base::OrderedReader reader(*bytes);
  PagePlace place;
  place.item = reader.u64();
  place.offset = reader.u64();
  if (!reader.ok() || !reader.at_end()) throw invalid_next_token();
  return place;
}

}  // namespace tidemill::cloudwatch

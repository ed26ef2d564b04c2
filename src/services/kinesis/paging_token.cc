#include "services/kinesis/paging_token.h"

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/kinesis/errors.h"

namespace tidemill::kinesis {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string make_token(const wire::Context& context, std::string_view operation,
                       const std::vector<std::string>& parts) {
  std::string bytes;
  base::append_u8(bytes, kVersion);
  base::append_i64(bytes, context.now().time_since_epoch().count());
  base::append_string(bytes, operation);
  for (const std::string& part : parts) base::append_string(bytes, part);
  return base::base64_encode(bytes);
}

std::vector<std::string> read_token(const wire::Context& context, std::string_view operation, std::string_view token,
                                    size_t parts) {
  const auto bytes = base::base64_decode(token);
  if (!bytes) throw invalid_argument("NextToken is invalid.");
  base::OrderedReader reader(*bytes);
  const uint8_t version = reader.u8();
  const base::Time made{base::Duration(reader.i64())};
  const bool is_ours = reader.string() == operation && version == kVersion;
  std::vector<std::string> result;
  for (size_t i = 0; i < parts; ++i) result.push_back(reader.string());
  if (!is_ours || !reader.ok() || !reader.at_end()) throw invalid_argument("NextToken is invalid.");
  if (made > context.now() || made <= context.now() - kTokenLifetime) {
    throw errors::expired_next_token_exception(
        base::cat("NextToken expired. Tokens are good for ", kTokenLifetime.count(), " seconds."));
  }
  return result;
}

}  // namespace tidemill::kinesis

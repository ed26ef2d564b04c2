#include "services/kinesis/shards_page.h"

#include "services/kinesis/paging_token.h"
#include "wire/error.h"

namespace tidemill::kinesis {

std::optional<StreamAddress> stream_of_page(const wire::Context& context, std::string_view token) {
  try {
    return StreamAddress{context.account, context.region,
                         read_token(context, kShardsToken, token, kShardsTokenParts).front()};
  } catch (const wire::Error&) {
    return std::nullopt;
  }
}

}  // namespace tidemill::kinesis

#include "services/kinesis/policy.h"

#include "base/ordered.h"
#include "store/resources.h"

namespace tidemill::kinesis {
namespace {

std::string policies_prefix(const StreamAddress& stream) {
  return store::resource_key({"kinesis", "policy"}, stream.account, stream.region, stream.name);
}

}  // namespace

std::string policy_key(const StreamAddress& stream, std::string_view consumer) {
  std::string key = policies_prefix(stream);
  base::append_string(key, consumer);
  return key;
}

void erase_policies(store::Transaction& txn, const StreamAddress& stream) {
  txn.erase_range(store::Range::prefix(policies_prefix(stream)));
}

}  // namespace tidemill::kinesis

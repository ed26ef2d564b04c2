// Lists the functions of an account's region, by name.
#include "base/base64.h"
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

// AWS gives at most 50 to a page, however many are asked for.
constexpr int kPageMax = 50;

}  // namespace

Task<shapes::ListFunctionsOutput> list_functions(Service& service, wire::Context& context,
                                                 const shapes::ListFunctionsInput& request) {
  store::Range range = functions_range(context.account, context.region);
  if (request.marker) {
    const auto after = base::base64_decode(*request.marker);
    if (!after || *after < range.begin || *after >= range.end) {
      throw errors::invalid_parameter_value_exception("Invalid Marker");
    }
    range.begin = *after + '\0';
  }
  const size_t limit = static_cast<size_t>(std::min(request.max_items.value_or(kPageMax), kPageMax));

  shapes::ListFunctionsOutput out;
  auto& functions = out.functions.emplace();
  std::string last;
  const auto snapshot = service.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto address = address_of_key(key);
    if (!address) return true;
    if (functions.size() == limit) {
      out.next_marker = base::base64_encode(last);
      return false;
    }
    const Function function = decode_function(*std::move(address), value);
    // With ALL each version is listed, and the only one is $LATEST.
    functions.push_back(describe(function, request.function_version ? kLatest : std::string_view()));
    last = key;
    return true;
  });
  co_return out;
}

}  // namespace tidemill::lambda

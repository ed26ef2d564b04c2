// The address of its own that a function, or one of its aliases, may have. Kept in the store under KeySpace::resource,
// (account, region, "lambda", "url", function), qualifier; and beside it, ("", "", "lambda", "url-id", id) says whose an
// address is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/lambda/function_name.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

struct FunctionUrl {
  std::string id;         // kUrlIdSize of a-z and 0-9: the first label of its host
  std::string qualifier;  // an alias; empty: $LATEST
  std::string auth_type;
  std::optional<wire::lambda::Cors> cors;
  std::string invoke_mode;
  base::Time created;
  base::Time modified;
};

inline constexpr size_t kUrlIdSize = 32;
[[nodiscard]] std::string new_url_id();

[[nodiscard]] store::Range function_urls_range(const FunctionAddress& address);

// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] FunctionUrl decode_function_url(std::string_view bytes);

// Nothing: there is none. The read is tracked if `reader` is a transaction.
Task<std::optional<FunctionUrl>> load_function_url(store::Snapshot& reader, FunctionReference reference);
void save_function_url(store::Transaction& txn, const FunctionReference& reference, const FunctionUrl& url);
// Of the function, or with a qualifier of that alias only; false: there was none.
Task<bool> erase_function_url(store::Transaction& txn, FunctionReference reference);
// With all its qualifiers.
Task<void> erase_function_urls(store::Transaction& txn, FunctionAddress address);

// Whose an address is, by its id; nothing if it is nobody's. The alias may be gone.
struct FoundUrl {
  FunctionReference reference;
  FunctionUrl url;
};
Task<std::optional<FoundUrl>> find_function_url(store::Snapshot& reader, std::string id);

// "http://<id>.lambda-url.us-east-1.localhost:4566/" for a server at `endpoint`: names below localhost are its own.
[[nodiscard]] std::string address_of_url(std::string_view endpoint, const FunctionAddress& address, std::string_view id);

}  // namespace tidemill::lambda

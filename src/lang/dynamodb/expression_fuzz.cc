// Parses arbitrary text as each kind of expression and runs what parses. Whatever is refused must be refused with an
// ExpressionError; whatever is made must be well-formed.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "lang/dynamodb/condition.h"
#include "lang/dynamodb/json_codec.h"
#include "lang/dynamodb/key_condition.h"
#include "lang/dynamodb/projection.h"
#include "lang/dynamodb/update.h"

using namespace tidemill::lang::dynamodb;

namespace {

const std::map<std::string, std::string> kNames = {{"#a", "a"}, {"#l", "l"}, {"#m", "m"}};

const Item& values() {
  static const Item kValues = attribute_values_from_json(
      R"({":s":{"S":"x"},":n":{"N":"1"},":l":{"L":[{"N":"2"}]},":m":{"M":{"k":{"N":"3"}}},":t":{"SS":["a","b"]}})");
  return kValues;
}

const Item& item() {
  static const Item kItem = item_from_json(
      R"({"a":{"S":"x"},"l":{"L":[{"N":"0"},{"M":{"k":{"S":"v"}}},{"L":[]}]})"
      R"(,"m":{"M":{"k":{"N":"5"},"l":{"L":[{"N":"6"}]}}},)"
      R"("n":{"N":"10"},"t":{"SS":["b","c"]}})");
  return kItem;
}

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Run>
void with_substitutions(Run run) {
  Substitutions substitutions;
  substitutions.set_names(kNames);
  substitutions.set_values(values());
  try {
    run(substitutions);
  } catch (const ExpressionError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  with_substitutions([&](Substitutions& substitutions) {
    const Condition condition = parse_condition(text, ExpressionKind::filter, substitutions);
    (void)evaluate(condition, item());
    (void)evaluate(condition, ItemView());
  });
  with_substitutions([&](Substitutions& substitutions) {
    (void)resolve(parse_key_condition(text, substitutions), {"a", Type::S, "n", Type::N});
  });
  with_substitutions([&](Substitutions& substitutions) {
    require(is_valid_item(apply(parse_projection(text, substitutions), item()).encoded()));
  });
  with_substitutions([&](Substitutions& substitutions) {
    const Update update = parse_update(text, substitutions);
    const auto updated = apply(update, item());
    if (!updated) return;
    require(is_valid_item(updated->encoded()));
    require(is_valid_item(apply(update.paths, *updated).encoded()));
  });
  return 0;
}

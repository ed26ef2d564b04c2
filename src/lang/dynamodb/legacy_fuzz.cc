// Reads bytes as conditions and updates from before expressions and runs them. Whatever is refused must be refused with
// an ExpressionError; whatever is made must be well-formed, and mean the same twice.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/dynamodb/json_codec.h"
#include "lang/dynamodb/legacy_condition.h"
#include "lang/dynamodb/legacy_update.h"

using namespace tidemill::lang::dynamodb;

namespace {

constexpr std::string_view kOperators[] = {"EQ", "NE",   "LE",       "LT",       "GE",           "GT",         "IN",
                                           "NULL", "NOT_NULL", "BETWEEN", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"};
constexpr std::string_view kNames[] = {"a", "l", "m", "n", "t", "missing"};
constexpr std::string_view kActions[] = {"PUT", "ADD", "DELETE"};

const std::vector<Value>& operands() {
  static const std::vector<Value> kOperands = [] {
    std::vector<Value> values;
    for (const char* json : {R"({"S":"x"})", R"({"S":""})", R"({"N":"5"})", R"({"N":"9e125"})", R"({"B":"AQ=="})",
                             R"({"BOOL":true})", R"({"NULL":true})", R"({"SS":["b","x"]})", R"({"NS":["1","5"]})",
                             R"({"BS":["AQ=="]})", R"({"L":[{"N":"5"}]})", R"({"M":{"k":{"N":"5"}}})"}) {
      values.push_back(value_from_json(json));
    }
    return values;
  }();
  return kOperands;
}

const Item& item() {
  static const Item kItem = item_from_json(
      R"({"a":{"S":"x"},"l":{"L":[{"N":"0"},{"N":"5"}]},"m":{"M":{"k":{"N":"5"}}},"n":{"N":"9e125"},"t":{"SS":["b","c"]}})");
  return kItem;
}

void require(bool holds) {
  if (!holds) std::abort();
}

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool more() const { return at_ != end_; }
  size_t below(size_t limit) { return at_ == end_ ? 0 : *at_++ % limit; }
  template <class T, size_t N>
  T one_of(const T (&all)[N]) {
    return all[below(N)];
  }
  ValueView operand() { return operands()[below(operands().size())]; }
  std::vector<ValueView> some_operands() {
    std::vector<ValueView> some;
    for (size_t left = below(4); left > 0; --left) some.push_back(operand());
    return some;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

template <class Run>
void refusing(Run run) {
  try {
    run();
  } catch (const ExpressionError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  std::vector<LegacyComparison> comparisons;
  std::vector<LegacyExpectation> expectations;
  std::vector<LegacyAttributeUpdate> updates;
  for (size_t name = 0; bytes.more(); ++name) {
    const std::string_view attribute = kNames[name % std::size(kNames)];
    comparisons.push_back({attribute, bytes.one_of(kOperators), bytes.some_operands()});
    LegacyExpectation expected{.attribute = attribute};
    const size_t form = bytes.below(16);
    if (form & 1) expected.value = bytes.operand();
    if (form & 2) expected.exists = bytes.below(2) == 1;
    if (form & 4) expected.op = bytes.one_of(kOperators);
    if (form & 8) expected.operands = bytes.some_operands();
    expectations.push_back(std::move(expected));
    if (updates.size() < std::size(kNames)) {
      LegacyAttributeUpdate update{.attribute = attribute, .action = bytes.one_of(kActions)};
      if (bytes.below(4) > 0) update.value = bytes.operand();
      updates.push_back(update);
    }
  }
  if (comparisons.empty()) return 0;
  refusing([&] {
    const bool all = evaluate(legacy_condition(comparisons, Junction::all_of), item());
    require(!all || evaluate(legacy_condition(comparisons, Junction::any_of), item()));
  });
  refusing([&] { (void)evaluate(legacy_condition(expectations, Junction::all_of), ItemView()); });
  refusing([&] { (void)resolve(legacy_key_condition(comparisons), {"a", Type::S, "l", Type::N}); });
  refusing([&] {
    const Update update = legacy_update(updates);
    const auto updated = apply(update, item());
    if (!updated) return;
    require(is_valid_item(updated->encoded()));
    require(is_valid_item(apply(update.paths, *updated).encoded()));
  });
  return 0;
}

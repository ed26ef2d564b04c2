// A statement and an item to run it on. What parses runs without harm and gives well-formed bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "lang/dynamodb/json_codec.h"
#include "lang/partiql/key_plan.h"
#include "lang/partiql/statement.h"

namespace {

using namespace tidemill::lang;

const dynamodb::Item& item() {
  static const dynamodb::Item item = dynamodb::item_from_json(
      R"({"k":{"S":"a"},"n":{"N":"5"},"l":{"L":[{"N":"1"},{"S":"x"}]},"m":{"M":{"a":{"S":"b"}}},"ss":{"SS":["a","b"]}})");
  return item;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > partiql::kStatementSizeMax) return 0;
  const std::vector<dynamodb::Value> parameters = {dynamodb::Value::string("a"), dynamodb::Value::number(1)};
  try {
    const partiql::Statement statement = partiql::parse_statement(text, parameters);
    require(dynamodb::is_valid_item(partiql::project(statement, item()).encoded()));
    require(dynamodb::is_valid_item(statement.item.encoded()));
    if (const auto updated = apply(statement.update, item())) require(dynamodb::is_valid_item(updated->encoded()));
    if (!statement.where) return 0;
    const bool whole = evaluate(*statement.where, item());
    const dynamodb::KeySchema schema{"k", dynamodb::Type::S, "n", dynamodb::Type::N};
    const partiql::KeyPlan plan = partiql::plan_keys(statement.where, schema);
    // What the filter refuses, the whole clause refuses too.
    if (plan.rest && !evaluate(*plan.rest, item())) require(!whole);
    // What the whole clause takes lies in exactly one range.
    if (!whole || plan.ranges.empty()) return 0;
    require(1 == std::ranges::count_if(plan.ranges, [](const partiql::KeyRange& range) {
              return range.partition == *item().find("k") && (!range.sort || matches(*range.sort, *item().find("n")));
            }));
  } catch (const partiql::StatementError&) {
  }
  return 0;
}

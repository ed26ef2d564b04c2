// An expression over two metrics, and the same text as a search. What parses is evaluated without harm.
#include <cstdint>
#include <map>
#include <string_view>

#include "lang/metrics/expression.h"
#include "lang/metrics/search.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::metrics;

class World : public Environment {
 public:
  World() {
    end = 600;
    one_ = Series{"one", 60, {{0, 1}, {60, -2}, {180, 1e300}}};
    many_ = SeriesList{std::get<Series>(one_), {"two", 300, {{0, 0}, {300, 5}}}, {"none", 60, {}}};
  }
  [[nodiscard]] const Value* find(const std::string& id) const override { return id == "a" ? &one_ : &many_; }
  [[nodiscard]] std::vector<std::pair<std::string, const Series*>> metrics() const override {
    return {{"a", &std::get<Series>(one_)}};
  }
  [[nodiscard]] const SeriesList* found(const SearchCall&) const override { return &std::get<SeriesList>(many_); }

 private:
  Value one_;
  Value many_;
};

// Nothing here waits: no executor runs it.
Task<void> evaluate(const Expression& expression, const World& world) {
  try {
    (void)co_await expression.evaluate(world);
  } catch (const ExpressionError&) {
  }
}

struct Runner {
  struct promise_type {
    Runner get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
Runner run(Task<void> task) { co_await task; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static const World world;
  try {
    const Expression expression = Expression::parse(input);
    run(evaluate(expression, world));
  } catch (const ExpressionError&) {
  }
  try {
    const Search search = Search::parse(input);
    const std::vector<std::pair<std::string, std::string>> dimensions{{"FunctionName", "order-Handler"}};
    (void)search.matches({"AWS/Lambda", "Errors", dimensions});
  } catch (const ExpressionError&) {
  }
  return 0;
}

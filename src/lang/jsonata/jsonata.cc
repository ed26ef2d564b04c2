#include "lang/jsonata/jsonata.h"

#include "lang/jsonata/evaluator.h"

namespace tidemill::lang::jsonata {

std::shared_ptr<const Signature> signature(std::string_view text) { return std::make_shared<const Signature>(text); }

Expression::Expression(std::unique_ptr<const Ast> ast) : ast_(std::move(ast)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Expression Expression::compile(std::string_view text) { return Expression(parse(text)); }

std::optional<json::Value> Expression::evaluate(const json::Value* input, const Bindings& bindings, const World& world,
                                                const Limits& limits, int64_t* steps_taken) const {
  Evaluator evaluator(bindings, world, limits);
  const Value result = evaluator.run(*ast_->root, input);
  std::optional<json::Value> document;
  if (result.defined() && !result.is(Kind::function)) document = evaluator.result_of(result);
  if (steps_taken) *steps_taken = limits.steps - evaluator.meter().left();
  return document;
}

}  // namespace tidemill::lang::jsonata

// Inside: one evaluation of an expression.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "lang/jsonata/ast.h"
#include "lang/jsonata/jsonata.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

struct Builtin;

// What can be called. Which members mean something depends on the type.
struct Function {
  enum class Type : uint8_t {
    lambda,      // node, input, frame
    builtin,     // builtin
    native,      // native
    partial,     // first: what is called; arguments, with holes for what is missing
    composed,    // first, then second
    regex,       // regex
    next_match,  // regex on `text` from `offset`
    transform,   // node, input, frame
  };

  Type type;
  const Node* node = nullptr;
  Value input;
  Frame* frame = nullptr;
  const Builtin* builtin = nullptr;
  const NativeFunction* native = nullptr;
  const Signature* signature = nullptr;
  const Function* first = nullptr;
  const Function* second = nullptr;
  std::span<Value> arguments;
  std::span<bool> holes;
  const Regex* regex = nullptr;
  std::string_view text;
  size_t offset = 0;
};

class Evaluator {
 public:
  Evaluator(const Bindings& bindings, const World& world, const Limits& limits);
  Evaluator(const Evaluator&) = delete;

  [[nodiscard]] Value run(const Node& root, const json::Value* input);
  // As much of it as may be kept in memory.
  [[nodiscard]] json::Value result_of(Value value) { return to_json(meter_, value, memory_bytes_); }

  [[nodiscard]] Value evaluate(const Node& node, Value input, Frame* frame);
  // Whatever is no function is T1006.
  [[nodiscard]] Value apply(Value function, std::span<const Value> arguments, Value input, Frame* frame);
  // With as many of the arguments as the function has parameters, at least one.
  [[nodiscard]] Value apply_to(Value function, std::initializer_list<Value> arguments);
  [[nodiscard]] static size_t parameter_count(const Function& function);

  // Throws U1001 when this many more are too many.
  void step(int64_t count = 1) { meter_.take(count); }
  [[nodiscard]] Meter& meter() { return meter_; }
  [[nodiscard]] Arena& arena() { return arena_; }
  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] Value result_of_match(const Regex& regex, std::string_view text, size_t from);
  // $eval: the tree lives as long as the evaluation.
  [[nodiscard]] const Node& keep(std::unique_ptr<const Ast> ast);

 private:
  // One more level of nesting, while it lives.
  class Depth {
   public:
    explicit Depth(int& left) : left_(left) {
      if (left_ <= 0) stop();
      --left_;
    }
    ~Depth() { ++left_; }

   private:
    int& left_;
  };

  [[noreturn]] static void stop();
  [[nodiscard]] bool is_hidden(std::string_view name) const;

  // expressions.cc
  Value dispatch(const Node& node, Value input, Frame* frame);
  Value variable(const Node& node, Value input, const Frame* frame);
  Value constant(const Node& node);
  Value negate(const Node& node, Value input, Frame* frame);
  Value binary(const Node& node, Value input, Frame* frame);
  Value operation(const Node& node, Value left, Value right);
  Value arithmetic(const Node& node, Value left, Value right);
  Value compare(const Node& node, Value left, Value right);
  Value concat(Value left, Value right);
  Value range(Value left, Value right);
  Value array(const Node& node, Value input, Frame* frame);
  Value block(const Node& node, Value input, Frame* frame);
  Value condition(const Node& node, Value input, Frame* frame);
  Value wildcard(Value input);
  Value descendants(Value input);
  void collect_descendants(Value input, Array& found, int depth);

  // paths.cc
  Value path(const Node& node, Value input, Frame* frame);
  Value step_of_path(const Node& step, Array& input, Frame* frame, bool is_last);
  Array* tuple_step(const Node& step, Array& input, Array* tuples, Frame* frame);
  Array* first_tuples(Array& items, std::string_view index);
  void extend_tuple(const Node& step, const Tuple& from, Value result, Array& out);
  Value staged(const std::vector<Stage>& stages, Value input, Frame* frame);
  Array* with_positions(Array& tuples, std::string_view name);
  Value filter(const Node& predicate, Value input, Frame* frame);
  Value sorted(const Node& sort, Array& input, Frame* frame);
  bool is_after(const Node& sort, Value a, Value b, Frame* frame);
  Value group(const Node& object, Value input, Frame* frame);
  Value merged_tuples(Value data, Frame*& frame);
  const Tuple* bind(const Tuple* tuple, std::string_view name, Value value);
  // The scope and the item of a tuple; of anything else itself.
  Value enter(Value item, Frame*& frame);
  static void keep_singleton(Arena& arena, Value& value);

  // calls.cc
  Value call(const Node& node, Value input, Frame* frame, const Value* first_argument = nullptr);
  Value partial(const Node& node, Value input, Frame* frame);
  Value lambda(const Node& node, Value input, Frame* frame);
  Value chain(const Node& node, Value input, Frame* frame);
  Value compose(const Function* first, const Function* second);
  Value apply_once(Value function, std::span<const Value> arguments, Value input, Frame* frame);
  Value enter_lambda(const Function& lambda, std::span<const Value> arguments);
  Value call_partial(const Function& function, std::span<const Value> arguments, Value input, Frame* frame);
  Value call_native(const NativeFunction& native, std::span<const Value> arguments);
  Value transform(const Function& function, Value subject);
  void transform_match(const Node& node, Value match, Frame* frame);
  // What functions walk over counts, too.
  void charge(std::span<const Value> arguments);

  const Bindings& bindings_;
  const World& world_;
  int depth_left_;
  Meter meter_;
  size_t memory_bytes_;
  Arena arena_;
  Frame root_;
  std::vector<std::unique_ptr<const Ast>> kept_;
};

}  // namespace tidemill::lang::jsonata

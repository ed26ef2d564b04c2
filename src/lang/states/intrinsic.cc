#include "lang/states/intrinsic.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang::states {

// States.Name(argument, …): literals in single quotes, numbers, true, false, null, paths, calls.
class IntrinsicParser {
 public:
  explicit IntrinsicParser(std::string_view text) : text_(text) {}

  std::shared_ptr<const Intrinsic::Call> read() {
    auto call = read_call(1);
    skip_space();
    if (at_ != text_.size()) fail("nothing may follow the call");
    return call;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw IntrinsicError(base::cat(what, " at character ", at_)); }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  std::shared_ptr<const Intrinsic::Call> read_call(int depth) {
    if (depth > kIntrinsicNestingMax) fail("the calls nest deeper than 10");
    const size_t end = text_.find('(', at_);
    if (end == std::string_view::npos) fail("expected '('");
    const std::string_view name = text_.substr(at_, end - at_);
    auto call = std::make_shared<Intrinsic::Call>();
    call->function = find_intrinsic(name);
    if (!call->function) fail(base::cat("there is no function '", name, "'"));
    at_ = end + 1;
    skip_space();
    if (!take(')')) {
      const bool has_template = name == "States.Format";
      do call->arguments.push_back(read_argument(depth, has_template && call->arguments.empty()));
      while (take(','));
      if (!take(')')) fail("expected ',' or ')'");
    }
    if (call->arguments.size() < call->function->least || call->arguments.size() > call->function->most) {
      fail(base::cat("wrong number of arguments for ", name));
    }
    return call;
  }

  Intrinsic::Argument read_argument(int depth, bool is_template) {
    skip_space();
    Intrinsic::Argument argument;
    if (peek() == '\'') {
      argument.literal = read_string(is_template);
    } else if (peek() == '$') {
      argument.path = std::make_shared<const jsonpath::Path>(read_path());
    } else if (text_.substr(at_).starts_with("States.")) {
      argument.call = read_call(depth + 1);
    } else {
      argument.literal = read_literal();
    }
    skip_space();
    return argument;
  }

  // In a template \{ and \} remain what they are: States.Format tells them from its places.
  std::string read_string(bool is_template) {
    std::string value;
    for (++at_; peek() != '\''; ++at_) {
      if (at_ >= text_.size()) fail("a string does not end");
      if (peek() != '\\') {
        value.push_back(peek());
        continue;
      }
      if (++at_ >= text_.size()) fail("a string does not end");
      if (std::string_view("'\\{}").find(peek()) == std::string_view::npos) fail("there is no such escape");
      if (is_template && peek() != '\'') value.push_back('\\');
      value.push_back(peek());
    }
    ++at_;
    return value;
  }

  // To the comma or bracket that closes it; brackets and strings within count.
  jsonpath::Path read_path() {
    const size_t begin = at_;
    int open = 0;
    char quote = '\0';
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != '\0') {
        if (c == '\\')
          ++at_;
        else if (c == quote)
          quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(' || c == '[') {
        ++open;
      } else if ((c == ')' || c == ']') && open > 0) {
        --open;
      } else if (c == ')' || (c == ',' && open == 0)) {
        break;
      }
    }
    std::string_view path = text_.substr(begin, std::min(at_, text_.size()) - begin);
    while (path.ends_with(' ')) path.remove_suffix(1);
    try {
      return jsonpath::Path::parse(path);
    } catch (const jsonpath::PathError& error) {
      fail(error.what());
    }
  }

  json::Value read_literal() {
    const size_t end = std::min(text_.find_first_of(",) ", at_), text_.size());
    auto value = json::parse(text_.substr(at_, end - at_));
    if (!value || value->is_array() || value->is_object() || value->is_string()) fail("expected an argument");
    at_ = end;
    return std::move(*value);
  }

  std::string_view text_;
  size_t at_ = 0;
};

Intrinsic Intrinsic::parse(std::string_view text) {
  Intrinsic intrinsic;
  intrinsic.text_ = text;
  intrinsic.root_ = IntrinsicParser(text).read();
  return intrinsic;
}

json::Value Intrinsic::evaluate(const Env& env) const {
  try {
    return evaluate(*root_, env);
  } catch (const IntrinsicError& error) {
    throw StateError(error_name::kIntrinsicFailure,
                     base::cat("The function '", text_, "' had the following error: ", error.what()));
  }
}

json::Value Intrinsic::evaluate(const Call& call, const Env& env) const {
  std::vector<json::Value> arguments;
  arguments.reserve(call.arguments.size());
  for (const Argument& argument : call.arguments) arguments.push_back(evaluate(argument, env));
  static const World kNoWorld;
  json::Value value = call.function->call(arguments, env.scope.world ? *env.scope.world : kNoWorld);
  env.charge(value);
  return value;
}

json::Value Intrinsic::evaluate(const Argument& argument, const Env& env) const {
  if (argument.call) return evaluate(*argument.call, env);
  if (!argument.path) return argument.literal;
  const Document found = resolve(*argument.path, env);
  if (!found) {
    throw StateError(
        error_name::kRuntime,
        base::cat("The function '", text_, "' had the following error: The JsonPath argument for the field '",
                  argument.path->text(), "' could not be found in the input '", root_text(*argument.path, env), "'"));
  }
  env.charge(*found);
  return *found;
}

void Intrinsic::collect(const std::shared_ptr<const Call>& call, std::vector<const jsonpath::Path*>& paths) {
  for (const Argument& argument : call->arguments) {
    if (argument.path) paths.push_back(argument.path.get());
    if (argument.call) collect(argument.call, paths);
  }
}

}  // namespace tidemill::lang::states

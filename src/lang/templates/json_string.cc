#include "lang/templates/json_string.h"

#include <utility>

#include "lang/templates/evaluation.h"

namespace tidemill::lang::templates {
namespace {

class JsonText {
 public:
  JsonText(const Template& original, const Inputs& inputs, const ValueOf& value_of)
      : original_(original), inputs_(inputs), value_of_(value_of) {}

  void add(const json::Value& value) {
    if (as_call(value)) {
      add_call(value);
    } else if (value.is_array()) {
      add_array(value.array());
    } else if (value.is_object()) {
      add_object(value.object());
    } else {
      json::append(text_, value);
    }
  }

  json::Value finish() {
    if (parts_.empty()) return std::move(text_);
    if (!text_.empty()) parts_.emplace_back(std::move(text_));
    json::Object join;
    join.set("Fn::Join", json::Array{"", std::move(parts_)});
    return join;
  }

 private:
  static bool is_no_value(const json::Value& value) {
    const auto call = as_call(value);
    return call && call->name == kRef && call->argument->is_string() && call->argument->string() == "AWS::NoValue";
  }

  // The branch that a condition takes; the value itself, if it is no Fn::If.
  const json::Value& chosen(const json::Value& value) const {
    static const Known kNothing;
    const json::Value* at = &value;
    for (auto call = as_call(*at); call && call->name == kIf; call = as_call(*at)) {
      const json::Value& argument = *call->argument;
      if (!argument.is_array() || argument.array().size() != 3 || !argument.array()[0].is_string()) break;
      Evaluation evaluation(original_, inputs_, kNothing, Evaluation::Place::condition);
      at = &argument.array()[evaluation.condition(argument.array()[0].string()) ? 1 : 2];
    }
    return *at;
  }

  void add_call(const json::Value& value) {
    const json::Value& branch = chosen(value);
    if (&branch != &value) return add(branch);
    if (const auto known = value_of_(value)) return json::append(text_, *known);
    add_unknown(value);
  }

  void add_unknown(const json::Value& value) {
    text_.push_back('"');
    parts_.emplace_back(std::exchange(text_, {}));
    parts_.push_back(value);
    text_.push_back('"');
  }

  void add_array(const json::Array& array) {
    text_.push_back('[');
    bool first = true;
    for (const json::Value& element : array) {
      const json::Value& branch = chosen(element);
      if (is_no_value(branch)) continue;
      if (!std::exchange(first, false)) text_.push_back(',');
      add(branch);
    }
    text_.push_back(']');
  }

  void add_object(const json::Object& object) {
    text_.push_back('{');
    bool first = true;
    for (const auto& [name, member] : object) {
      const json::Value& branch = chosen(member);
      if (is_no_value(branch)) continue;
      if (!std::exchange(first, false)) text_.push_back(',');
      json::append_string(text_, name);
      text_.push_back(':');
      add(branch);
    }
    text_.push_back('}');
  }

  const Template& original_;
  const Inputs& inputs_;
  const ValueOf& value_of_;
  std::string text_;
  json::Array parts_;
};

}  // namespace

json::Value json_string(const json::Value& value, const Template& original, const Inputs& inputs,
                        const ValueOf& value_of) {
  JsonText text(original, inputs, value_of);
  text.add(value);
  return text.finish();
}

}  // namespace tidemill::lang::templates

// What indefinite paths find, and functions at their ends.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lang/jsonpath/step.h"

namespace tidemill::lang::jsonpath {

const json::Value* element_of(const json::Array& array, int64_t index) {
  const auto size = static_cast<int64_t>(array.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &array[static_cast<size_t>(index)] : nullptr;
}

size_t weight_of(const json::Value& value) {
  size_t weight = 1;
  if (value.is_string()) weight += value.string().size() / kBytesPerNode;
  if (value.is_array()) {
    for (const json::Value& element : value.array()) weight += weight_of(element);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) weight += name.size() / kBytesPerNode + weight_of(member);
  }
  return weight;
}

namespace {

class Selector {
 public:
  Selector(const std::vector<Step>& steps, size_t end, const json::Value& root, Budget& budget)
      : steps_(steps), end_(end), root_(root), budget_(budget) {}

  // From `node` on, from step `index` on.
  void walk(const json::Value& node, size_t index) {
    budget_.visit();
    if (index == end_) {
      found_.push_back(&node);
      return;
    }
    const Step& step = steps_[index];
    switch (step.type) {
      case Step::Type::members:
        return walk_members(step, node, index);
      case Step::Type::elements:
        if (!node.is_array()) return;
        for (const int64_t at : step.indexes) {
          if (const json::Value* const element = element_of(node.array(), at)) walk(*element, index + 1);
        }
        return;
      case Step::Type::slice:
        return walk_slice(step, node, index);
      case Step::Type::all:
        return for_each_child(node, [&](const json::Value& child) { walk(child, index + 1); });
      case Step::Type::descend:
        return descend(node, index + 1);
      case Step::Type::filter:
        if (node.is_array()) {
          for (const json::Value& element : node.array()) {
            if (accepts(*step.filter, element, root_, budget_)) walk(element, index + 1);
          }
        } else if (node.is_object() && accepts(*step.filter, node, root_, budget_)) {
          walk(node, index + 1);
        }
        return;
      case Step::Type::function:
        return;  // only the last, which end_ leaves out
    }
  }

  std::vector<const json::Value*> found_;
  std::vector<std::unique_ptr<json::Value>> made_;  // objects of several members

 private:
  static void for_each_child(const json::Value& node, auto&& visit) {
    if (node.is_array()) {
      for (const json::Value& element : node.array()) visit(element);
    } else if (node.is_object()) {
      for (const auto& [name, value] : node.object()) visit(value);
    }
  }

  void walk_members(const Step& step, const json::Value& node, size_t index) {
    if (step.names.size() == 1 || index + 1 < end_) {
      for (const std::string& name : step.names) {
        if (const json::Value* const member = look_up(node, name)) walk(*member, index + 1);
      }
      return;
    }
    if (!node.is_object()) return;
    json::Object together;
    for (const std::string& name : step.names) {
      const json::Value* const member = look_up(node, name);
      if (!member) continue;
      budget_.visit(weight_of(*member) + together.size() / kNamesPerNode);
      together.set(name, *member);
    }
    made_.push_back(std::make_unique<json::Value>(std::move(together)));
    walk(*made_.back(), index + 1);
  }

  [[nodiscard]] const json::Value* look_up(const json::Value& node, const std::string& name) {
    if (!node.is_object()) return nullptr;
    budget_.visit(node.object().size() / kNamesPerNode);
    return node.find(name);
  }

  void walk_slice(const Step& step, const json::Value& node, size_t index) {
    if (!node.is_array()) return;
    const auto size = static_cast<int64_t>(node.array().size());
    const auto bound = [&](std::optional<int64_t> given, int64_t otherwise) {
      if (!given) return otherwise;
      return std::clamp(*given < 0 ? *given + size : *given, int64_t{0}, size);
    };
    const int64_t to = bound(step.to, size);
    for (int64_t at = bound(step.from, 0); at < to; at += step.stride) {
      walk(node.array()[static_cast<size_t>(at)], index + 1);
    }
  }

  // The node itself and all below it.
  void descend(const json::Value& node, size_t index) {
    budget_.visit();
    walk(node, index);
    for_each_child(node, [&](const json::Value& child) { descend(child, index); });
  }

  const std::vector<Step>& steps_;
  size_t end_;
  const json::Value& root_;
  Budget& budget_;
};

std::vector<double> numbers_of(const json::Value& value) {
  std::vector<double> numbers;
  if (!value.is_array()) return numbers;
  for (const json::Value& element : value.array()) {
    if (const auto number = element.to_double()) numbers.push_back(*number);
  }
  return numbers;
}

json::Value number_value(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) return static_cast<int64_t>(number);
  return number;
}

json::Value statistic(Step::Function function, const json::Value& value) {
  const std::vector<double> numbers = numbers_of(value);
  if (numbers.empty()) throw PathError("Aggregation function attempted to calculate value using empty array");
  double sum = 0;
  for (const double number : numbers) sum += number;
  const double mean = sum / static_cast<double>(numbers.size());
  switch (function) {
    case Step::Function::min:
      return number_value(*std::ranges::min_element(numbers));
    case Step::Function::max:
      return number_value(*std::ranges::max_element(numbers));
    case Step::Function::avg:
      return number_value(mean);
    case Step::Function::sum:
      return number_value(sum);
    default: {
      double squares = 0;
      for (const double number : numbers) squares += (number - mean) * (number - mean);
      return number_value(std::sqrt(squares / static_cast<double>(numbers.size())));
    }
  }
}

// Nothing: the value has no such thing.
std::optional<json::Value> apply(const Step& step, const json::Value& value) {
  const auto element = [&](int64_t index) -> std::optional<json::Value> {
    if (!value.is_array()) throw PathError("Aggregation function attempted to calculate value using empty array");
    const json::Value* const found = element_of(value.array(), index);
    return found ? std::optional(*found) : std::nullopt;
  };
  switch (step.function) {
    case Step::Function::length:
      if (value.is_array()) return value.array().size();
      if (value.is_object()) return value.object().size();
      if (value.is_string()) return value.string().size();
      return std::nullopt;
    case Step::Function::keys: {
      if (!value.is_object()) return std::nullopt;
      json::Array names;
      for (const auto& [name, member] : value.object()) names.emplace_back(name);
      return names;
    }
    case Step::Function::first:
      return element(0);
    case Step::Function::last:
      return element(-1);
    case Step::Function::index:
      return element(step.indexes.front());
    default:
      return statistic(step.function, value);
  }
}

}  // namespace

Selection select(const std::vector<Step>& steps, bool is_definite, const json::Value& from, const json::Value& root,
                 Budget& budget) {
  const bool has_function = !steps.empty() && steps.back().type == Step::Type::function;
  const size_t end = steps.size() - (has_function ? 1 : 0);
  const bool one = is_definite || std::all_of(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(end),
                                              [](const Step& step) { return step.is_definite(); });
  Selector selector(steps, end, root, budget);
  selector.walk(from, 0);
  Selection selection;
  if (one) {
    if (!selector.found_.empty()) selection.node = selector.found_.front();
  } else {
    json::Array all;
    all.reserve(selector.found_.size());
    for (const json::Value* const node : selector.found_) {
      budget.visit(weight_of(*node));
      all.push_back(*node);
    }
    const bool is_one_object = steps[end - 1].type == Step::Type::members &&
                               std::all_of(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(end) - 1,
                                           [](const Step& step) { return step.is_definite(); });
    if (is_one_object) {  // of several members
      if (!all.empty()) selection.made = std::move(all.front());
    } else {
      selection.made = std::move(all);
    }
  }
  if (has_function && selection.found()) {
    std::optional<json::Value> result = apply(steps.back(), selection.value());
    selection = {.made = std::move(result)};
  }
  return selection;
}

}  // namespace tidemill::lang::jsonpath

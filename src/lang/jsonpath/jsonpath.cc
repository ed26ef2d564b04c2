#include "lang/jsonpath/jsonpath.h"

#include <algorithm>

#include "base/text.h"
#include "lang/jsonpath/step.h"

namespace tidemill::lang::jsonpath {

namespace {

const json::Value* follow(const Step& step, const json::Value& from) {
  if (step.type == Step::Type::members) return from.find(step.names.front());
  return from.is_array() ? element_of(from.array(), step.indexes.front()) : nullptr;
}

std::string bracketed(const Step& step) {
  return step.type == Step::Type::members ? base::cat("['", step.names.front(), "']")
                                          : base::cat("[", step.indexes.front(), "]");
}

}  // namespace

const json::Value* find(const std::vector<Step>& steps, const json::Value& from, size_t first) {
  const json::Value* node = &from;
  for (size_t i = first; node && i < steps.size(); ++i) node = follow(steps[i], *node);
  return node;
}

const json::Value* find(const std::vector<Step>& steps, const json::Value& from, Budget& budget) {
  const json::Value* node = &from;
  for (size_t i = 0; node && i < steps.size(); ++i) {
    budget.visit(1 + (node->is_object() ? node->object().size() / kNamesPerNode : 0));
    node = follow(steps[i], *node);
  }
  return node;
}

Path::Path() = default;
Path::Path(Path&&) noexcept = default;
Path& Path::operator=(Path&&) noexcept = default;
Path::~Path() = default;

bool Path::is_whole() const { return steps_.empty(); }
size_t Path::steps() const { return steps_.size(); }

bool Path::is_reference() const {
  return is_definite_ && std::ranges::all_of(steps_, [](const Step& step) {
           return step.type == Step::Type::members || step.indexes.front() >= 0;
         });
}

std::optional<std::string_view> Path::member(size_t index) const {
  if (index >= steps_.size() || steps_[index].type != Step::Type::members || steps_[index].names.size() != 1) return {};
  return steps_[index].names.front();
}

const json::Value* Path::find(const json::Value& root, size_t first) const {
  return jsonpath::find(steps_, root, first);
}

Selection Path::select(const json::Value& root) const {
  size_t nodes_left = kNodesVisitedMax;
  return select(root, nodes_left);
}

Selection Path::select(const json::Value& root, size_t& nodes_left) const {
  Budget budget{.left = std::min(nodes_left, kNodesVisitedMax)};
  nodes_left -= budget.left;
  Selection selection = is_definite_ ? Selection{.node = jsonpath::find(steps_, root, budget)}
                                     : jsonpath::select(steps_, false, root, root, budget);
  nodes_left += budget.left;
  return selection;
}

bool Path::ends_beyond_array(const json::Value& root) const {
  if (!is_definite_ || steps_.empty() || steps_.back().type != Step::Type::elements) return false;
  const json::Value* node = &root;
  for (size_t i = 0; node && i + 1 < steps_.size(); ++i) node = follow(steps_[i], *node);
  return node && node->is_array() && !element_of(node->array(), steps_.back().indexes.front());
}

std::string Path::explain(const json::Value& root) const {
  constexpr std::string_view kProvider = "'com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider'";
  const json::Value* node = &root;
  std::string way = "$";
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.is_definite()) break;
    const bool is_last = i + 1 == steps_.size();
    const std::string next = base::cat(way, bracketed(step));
    if (step.type == Step::Type::members && !node->is_object()) {
      return base::cat("Expected to find an object with property ['", step.names.front(), "'] in path ", way,
                       " but found '", node->is_array() ? "array" : "value",
                       "'. This is not a json object according to the JsonProvider: ", kProvider, ".");
    }
    if (step.type == Step::Type::elements && !node->is_array()) {
      return base::cat("Filter: ", bracketed(step),
                       " can only be applied to arrays. Current context is: ", json::write(*node));
    }
    node = follow(step, *node);
    if (!node)
      return base::cat(
          is_last || step.type == Step::Type::elements ? "No results for path: " : "Missing property in path ", next);
    way = next;
  }
  return base::cat("No results for path: ", way);
}

namespace {

json::Value placed(const json::Value* at, const std::vector<Step>& steps, size_t index, json::Value value) {
  if (index == steps.size()) return value;
  const Step& step = steps[index];
  if (step.type == Step::Type::members) {
    if (at && !at->is_object()) throw PathError(base::cat("There is no object for ['", step.names.front(), "']"));
    json::Object object = at ? at->object() : json::Object();
    const json::Value* const below = object.find(step.names.front());
    json::Value made = placed(below, steps, index + 1, std::move(value));
    object.set(step.names.front(), std::move(made));
    return object;
  }
  if (!at || !at->is_array() || static_cast<size_t>(step.indexes.front()) >= at->array().size()) {
    throw PathError(base::cat("There is no element [", step.indexes.front(), "]"));
  }
  json::Array array = at->array();
  json::Value& below = array[static_cast<size_t>(step.indexes.front())];
  below = placed(&below, steps, index + 1, std::move(value));
  return array;
}

}  // namespace

json::Value Path::place(const json::Value& root, json::Value value) const {
  return placed(&root, steps_, 0, std::move(value));
}

}  // namespace tidemill::lang::jsonpath

#include "lang/templates/include.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "base/json_objects.h"
#include "base/text.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/parse.h"
#include "lang/templates/transform.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

[[noreturn]] void fail(std::string_view why) {
  throw TransformError(cat("Transform ", kIncludeTransform, " failed with: ", why));
}

// Locations of the includes of one Fn::Transform or Transform: an object, or a list of such.
class Locations {
 public:
  Locations(const Template& original, const Inputs& inputs) : original_(original), inputs_(inputs) {}

  [[nodiscard]] std::vector<std::string> of(const json::Value& transform) const {
    std::vector<std::string> locations;
    if (transform.is_array()) {
      for (const json::Value& each : transform.array()) locations.push_back(of_one(each));
    } else {
      locations.push_back(of_one(transform));
    }
    return locations;
  }

 private:
  [[nodiscard]] std::string of_one(const json::Value& transform) const {
    const json::Value* name = transform.find("Name");
    if (name == nullptr || !name->is_string()) {
      throw TransformError("Fn::Transform requires an object with the Name of a macro");
    }
    if (name->string() != kIncludeTransform)
      throw TransformError(cat("No transform named ", name->string(), " found."));
    const json::Value* parameters = transform.find("Parameters");
    const json::Value* location = parameters == nullptr ? nullptr : parameters->find("Location");
    const auto text = location == nullptr ? std::nullopt : evaluated(*location);
    if (!text || !(text->starts_with("s3://") || text->starts_with("https://") || text->starts_with("http://"))) {
      fail("The location parameter is not a valid S3 uri.");
    }
    return *text;
  }

  [[nodiscard]] std::optional<std::string> evaluated(const json::Value& value) const {
    static const Known kNothing;
    Evaluation evaluation(original_, inputs_, kNothing, Evaluation::Place::condition);
    const auto result = evaluation.evaluate(value);
    return result ? as_text(*result) : std::nullopt;
  }

  const Template& original_;
  const Inputs& inputs_;
};

// What of the Transform section is AWS::Include.
std::vector<const json::Value*> top_level_includes(const json::Value& document) {
  std::vector<const json::Value*> includes;
  const auto add = [&](const json::Value& transform) {
    const json::Value* name = transform.find("Name");
    if (name != nullptr && name->is_string() && name->string() == kIncludeTransform) includes.push_back(&transform);
  };
  if (const json::Value* section = document.find("Transform")) {
    if (section->is_array()) {
      std::ranges::for_each(section->array(), add);
    } else {
      add(*section);
    }
  }
  return includes;
}

// In the order in which they come, each once.
class Found {
 public:
  void add(std::string location) {
    if (known_.insert(location).second) list_.push_back(std::move(location));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(list_); }

 private:
  std::unordered_set<std::string> known_;
  std::vector<std::string> list_;
};

void collect(const json::Value& value, const Locations& locations, Found& found) {
  if (value.is_array()) {
    for (const json::Value& element : value.array()) collect(element, locations, found);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      if (name != kTransform) {
        collect(member, locations, found);
        continue;
      }
      for (std::string& location : locations.of(member)) found.add(std::move(location));
    }
  }
}

class Includer {
 public:
  Includer(const Locations& locations, const Included& included) : locations_(locations), included_(included) {}

  json::Value process(const json::Value& value) {
    if (value.is_array()) {
      json::Array array;
      for (const json::Value& element : value.array()) array.push_back(process(element));
      return array;
    }
    if (!value.is_object()) return value;
    if (const json::Value* only = value.find(kTransform); only != nullptr && value.object().size() == 1) {
      const auto locations = locations_.of(*only);
      if (locations.size() == 1) return fragment(locations[0]);
    }
    // What a fragment adds comes after the members before it; those behind it take the place of what it says of them.
    std::vector<json::Member> members;
    members.reserve(value.object().size());
    for (const auto& [name, member] : value.object()) {
      if (name != kTransform) {
        members.emplace_back(name, process(member));
        continue;
      }
      json::Object object = json::object_of(std::move(members));
      for (const std::string& location : locations_.of(member)) merge(object, location);
      members.assign(std::make_move_iterator(object.begin()), std::make_move_iterator(object.end()));
    }
    return json::object_of(std::move(members));
  }

  // Members that are there stay, objects among them take what they lack.
  void merge(json::Object& object, const std::string& location) {
    const json::Value content = fragment(location);
    if (!content.is_object()) fail("The specified S3 object's content should be valid Yaml/JSON.");
    merge(object, content.object());
  }

 private:
  static void merge(json::Object& object, const json::Object& content) {
    std::unordered_map<std::string_view, json::Value*> present;
    for (auto& [name, value] : object) present.emplace(name, &value);
    std::vector<const json::Member*> lacking;
    for (const json::Member& member : content) {
      const auto found = present.find(member.first);
      if (found == present.end()) {
        lacking.push_back(&member);
      } else if (found->second->is_object() && member.second.is_object()) {
        merge(found->second->object(), member.second.object());
      }
    }
    std::vector<json::Member> all(std::make_move_iterator(object.begin()), std::make_move_iterator(object.end()));
    all.reserve(all.size() + lacking.size());
    for (const json::Member* const member : lacking) all.push_back(*member);
    object = json::object_of(std::move(all));
  }

  json::Value fragment(const std::string& location) {
    const auto found = included_.find(location);
    if (found == included_.end()) fail("The specified S3 object does not exist.");
    bytes_ += found->second.size();
    if (bytes_ > kProcessedBytesMax) fail("The template is too large with what it includes.");
    json::Value content;
    try {
      content = parse_fragment(found->second);
    } catch (const TemplateError&) {
      fail("The specified S3 object's content should be valid Yaml/JSON.");
    }
    // AWS does not follow includes of what is included.
    if (mentions_transform(content)) fail("The specified S3 object's content should be valid Yaml/JSON.");
    return content;
  }

  static bool mentions_transform(const json::Value& value) {
    if (value.is_array()) return std::ranges::any_of(value.array(), mentions_transform);
    if (!value.is_object()) return false;
    return std::ranges::any_of(value.object(), [](const json::Member& member) {
      return member.first == kTransform || mentions_transform(member.second);
    });
  }

  const Locations& locations_;
  const Included& included_;
  size_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> find_locations(const json::Value& document, const Inputs& inputs) {
  const Template original = Template::of_original(document);
  const Locations locations(original, inputs);
  Found found;
  collect(document, locations, found);
  for (const json::Value* include : top_level_includes(document)) {
    for (std::string& location : locations.of(*include)) found.add(std::move(location));
  }
  return found.take();
}

json::Value include_all(const json::Value& document, const Inputs& inputs, const Included& included) {
  const Template original = Template::of_original(document);
  const Locations locations(original, inputs);
  Includer includer(locations, included);
  json::Value out = includer.process(document);
  for (const json::Value* include : top_level_includes(document)) {
    for (const std::string& location : locations.of(*include)) includer.merge(out.object(), location);
  }
  return out;
}

}  // namespace tidemill::lang::templates

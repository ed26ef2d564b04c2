#include "rights/values.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "base/text.h"
#include "wire/timestamp.h"

namespace tidemill::rights {

namespace {

using base::cat;
using wire::shapes::Kind;
using wire::shapes::Member;
using wire::shapes::Shape;
using Steps = std::span<const Member* const>;

// The structure that a path goes on in: of a list or map, that of its elements.
const Shape& structure_in(const Shape& shape) {
  const Shape* at = &shape;
  while (at->kind == Kind::list || at->kind == Kind::map) at = at->element->shape;
  return *at;
}

const Member& member_of(const Shape& shape, std::string_view name) {
  for (const Member& member : structure_in(shape).members) {
    if (member.name == name && !member.unsupported && member.shape) return member;
  }
  throw std::logic_error(cat(shape.name, " has no member ", name));
}

struct Visitor {
  std::vector<std::string>* texts;  // null: only whether there is something
  bool wants_keys;
  bool is_given = false;

  void add(std::string text) {
    if (texts) texts->push_back(std::move(text));
  }

  void end(const Shape& shape, const void* value) {
    is_given = is_given || shape.kind != Kind::boolean || wire::shapes::as<bool>(value);
    switch (shape.kind) {
      case Kind::text:
        return add(wire::shapes::as<std::string>(value));
      case Kind::integer:
        return add(std::to_string(wire::shapes::as<int32_t>(value)));
      case Kind::long_integer:
        return add(std::to_string(wire::shapes::as<int64_t>(value)));
      case Kind::boolean:
        return add(wire::shapes::as<bool>(value) ? "true" : "false");
      case Kind::timestamp:
        return add(wire::format_timestamp(wire::shapes::as<base::Time>(value), wire::TimestampFormat::date_time));
      default:
        return;
    }
  }

  void visit(const Shape& shape, const void* value, Steps steps) {
    if (shape.kind == Kind::map) {
      wire::shapes::each_entry(shape, value, [&](const std::string& key, const void* entry) {
        if (wants_keys && steps.empty()) {
          is_given = true;
          return add(key);
        }
        visit(*shape.element->shape, entry, steps);
      });
      return;
    }
    if (shape.kind == Kind::list) {
      wire::shapes::each_element(shape, value,
                                 [&](const void* element) { visit(*shape.element->shape, element, steps); });
      return;
    }
    if (steps.empty()) return end(shape, value);
    const void* next = wire::shapes::value_of(*steps.front(), value);
    if (next) visit(*steps.front()->shape, next, steps.subspan(1));
  }
};

}  // namespace

ValuePath::ValuePath(const Shape& shape, std::string_view text) : shape_(shape) {
  wants_keys_ = text.ends_with('#');
  if (wants_keys_) text.remove_suffix(1);
  const Shape* at = &shape;
  while (!text.empty()) {
    const size_t dot = std::min(text.find('.'), text.size());
    steps_.push_back(&member_of(*at, text.substr(0, dot)));
    at = steps_.back()->shape;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
}

std::vector<std::string> ValuePath::values(const void* structure) const {
  std::vector<std::string> result;
  Visitor visitor{&result, wants_keys_};
  visitor.visit(shape_, structure, steps_);
  return result;
}

bool ValuePath::is_given(const void* structure) const {
  Visitor visitor{nullptr, false};
  visitor.visit(shape_, structure, steps_);
  return visitor.is_given;
}

}  // namespace tidemill::rights

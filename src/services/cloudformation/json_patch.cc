#include "services/cloudformation/json_patch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

using Pointer = std::vector<std::string>;

// RFC 6901: "/a~1b/0" is the first element of the member "a/b".
Pointer parse_pointer(std::string_view text) {
  Pointer result;
  if (text.empty()) return result;
  if (text.front() != '/') throw PatchRefused(cat("'", text, "' is no JSON pointer"));
  for (const char letter : text) {
    if (letter == '/') {
      result.emplace_back();
    } else {
      result.back() += letter;
    }
  }
  for (std::string& part : result) {
    for (size_t at = part.find('~'); at != std::string::npos; at = part.find('~', at + 1)) {
      const char code = at + 1 < part.size() ? part[at + 1] : ' ';
      if (code != '0' && code != '1') throw PatchRefused(cat("'", text, "' is no JSON pointer"));
      part.replace(at, 2, code == '0' ? "~" : "/");
    }
  }
  return result;
}

// Nothing: it is no place in a list of this length. `end_too`: just behind the last is one.
std::optional<size_t> parse_index(const std::string& text, size_t size, bool end_too) {
  if (end_too && text == "-") return size;
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  size_t index = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (index > size || (index == size && !end_too)) return std::nullopt;
  return index;
}

[[noreturn]] void not_there(std::string_view path) { throw PatchRefused(cat("there is nothing at '", path, "'")); }

// The value at the first `count` parts of the pointer.
json::Value& value_at(json::Value& document, const Pointer& pointer, size_t count, std::string_view path) {
  json::Value* value = &document;
  for (size_t i = 0; i < count; ++i) {
    json::Value* next = nullptr;
    if (value->is_object()) {
      next = value->object().find(pointer[i]);
    } else if (value->is_array()) {
      if (const auto index = parse_index(pointer[i], value->array().size(), false)) next = &value->array()[*index];
    }
    if (!next) not_there(path);
    value = next;
  }
  return *value;
}

struct Extent {
  size_t bytes = 0;  // of its text, or a few less
  size_t depth = 0;
};

Extent extent_of(const json::Value& value) {
  Extent result{.bytes = 1};
  const auto take_in = [&](const json::Value& part) {
    const Extent of = extent_of(part);
    result.bytes += of.bytes;
    result.depth = std::max(result.depth, of.depth);
  };
  if (value.is_string()) {
    result.bytes += value.string().size();
  } else if (value.is_number()) {
    result.bytes += value.number_text().size() - 1;
  } else if (value.is_array()) {
    for (const json::Value& element : value.array()) take_in(element);
    ++result.depth;
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      result.bytes += name.size();
      take_in(member);
    }
    ++result.depth;
  }
  return result;
}

// What all operations of a patch together may put into a document. Without it each copy of the whole doubles it.
class Room {
 public:
  // Before `value` is put, or copied, to a place `above` levels down. Throws PatchRefused.
  void take(const json::Value& value, size_t above) {
    const Extent extent = extent_of(value);
    taken_ += extent.bytes;
    if (taken_ > kPatchedBytesMax) {
      throw PatchRefused(cat("the patch puts more than ", kPatchedBytesMax, " bytes into the resource"));
    }
    if (above + extent.depth > json::kDepthMax) throw PatchRefused("the resource would be nested too deeply");
  }

 private:
  size_t taken_ = 0;
};

void add(json::Value& document, const Pointer& pointer, json::Value value, std::string_view path) {
  if (pointer.empty()) {
    document = std::move(value);
    return;
  }
  json::Value& parent = value_at(document, pointer, pointer.size() - 1, path);
  if (parent.is_object()) {
    parent.object().set(pointer.back(), std::move(value));
    return;
  }
  const auto index = parent.is_array() ? parse_index(pointer.back(), parent.array().size(), true) : std::nullopt;
  if (!index) not_there(path);
  parent.array().insert(parent.array().begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
}

json::Value remove(json::Value& document, const Pointer& pointer, std::string_view path) {
  json::Value removed = std::move(value_at(document, pointer, pointer.size(), path));
  if (pointer.empty()) {
    document = json::Value();
    return removed;
  }
  json::Value& parent = value_at(document, pointer, pointer.size() - 1, path);
  if (parent.is_object()) {
    parent.object().erase(pointer.back());
  } else {
    const size_t index = *parse_index(pointer.back(), parent.array().size(), false);
    parent.array().erase(parent.array().begin() + static_cast<std::ptrdiff_t>(index));
  }
  return removed;
}

std::string text_member(const json::Value& operation, std::string_view name) {
  const json::Value* value = operation.find(name);
  if (!value || !value->is_string()) throw PatchRefused(cat("an operation of the patch has no ", name));
  return value->string();
}

void transfer(json::Value& document, const json::Value& operation, bool is_move, std::string_view path, Room& room) {
  const std::string from = text_member(operation, "from");
  if (is_move && path.starts_with(from + "/")) throw PatchRefused(cat("'", from, "' cannot be moved into itself"));
  const Pointer source = parse_pointer(from), pointer = parse_pointer(path);
  const json::Value& there = value_at(document, source, source.size(), from);
  room.take(there, pointer.size());
  json::Value value = is_move ? remove(document, source, from) : there;
  add(document, pointer, std::move(value), path);
}

void apply_one(json::Value& document, const json::Value& operation, Room& room) {
  if (!operation.is_object()) throw PatchRefused("an operation of the patch is no object");
  const std::string op = text_member(operation, "op"), path = text_member(operation, "path");
  const Pointer pointer = parse_pointer(path);
  const json::Value* value = operation.find("value");
  const bool puts_value = op == "add" || op == "replace";
  if ((puts_value || op == "test") && !value) throw PatchRefused(cat("the operation ", op, " has no value"));
  if (puts_value) room.take(*value, pointer.size());
  if (op == "add") {
    add(document, pointer, *value, path);
  } else if (op == "remove") {
    (void)remove(document, pointer, path);
  } else if (op == "replace") {
    value_at(document, pointer, pointer.size(), path) = *value;
  } else if (op == "move" || op == "copy") {
    transfer(document, operation, op == "move", path, room);
  } else if (op == "test") {
    if (!json::equal(value_at(document, pointer, pointer.size(), path), *value)) {
      throw PatchRefused(cat("the value at '", path, "' is another one"));
    }
  } else {
    throw PatchRefused(cat("there is no operation '", op, "'"));
  }
}

}  // namespace

json::Value apply_patch(json::Value document, std::string_view patch) {
  const auto parsed = json::parse(patch);
  if (!parsed || !parsed->is_array()) throw PatchRefused("the patch is no list of operations");
  if (parsed->array().size() > kPatchesMax) {
    throw PatchRefused(cat("the patch has more than ", kPatchesMax, " operations"));
  }
  Room room;
  for (const json::Value& operation : parsed->array()) apply_one(document, operation, room);
  if (extent_of(document).bytes > kPatchedBytesMax) {
    throw PatchRefused(cat("the resource would have more than ", kPatchedBytesMax, " bytes"));
  }
  return document;
}

}  // namespace tidemill::cloudformation

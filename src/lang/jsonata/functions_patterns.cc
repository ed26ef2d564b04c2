// $contains, $split, $match and $replace: with a string, a regular expression, or a function that matches as one does.
#include <cmath>
#include <limits>

#include "base/find.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr size_t kBytesPerStep = 4096;  // of a subject, for each match

// One match, in bytes of the subject.
struct Found {
  std::string_view match;
  size_t start = 0;
  size_t end = 0;
  double index = 0;  // as the matcher says it: in UTF-16 units
  std::vector<Value> groups;
  Value next;
};

// The byte where the UTF-16 unit `index` of the text lies.
size_t offset_of_utf16(std::string_view text, double index) {
  size_t at = 0;
  for (double units = 0; units < index && at < text.size(); at += character_size(text, at)) {
    units += code_point(text, at) > 0xFFFF ? 2 : 1;
  }
  return at;
}

// What a match function gave: an object of match, start, end, groups and next.
std::optional<Found> read_match(Value result, std::string_view subject) {
  if (!result.defined()) return std::nullopt;
  const auto member = [&](std::string_view name) {
    const Value* const value = result.is(Kind::object) ? result.object->find(name) : nullptr;
    return value ? *value : Value();
  };
  const Value match = member("match");
  const Value start = member("start");
  const Value end = member("end");
  const Value groups = member("groups");
  const bool is_match = match.is(Kind::string) && start.is(Kind::number) && end.is(Kind::number) &&
                        groups.is(Kind::array) && member("next").is(Kind::function);
  if (!is_match) throw JsonataError("T1010");
  Found found{.match = match.string(), .index = start.number, .next = member("next")};
  found.start = offset_of_utf16(subject, start.number);
  found.end = std::max(found.start, offset_of_utf16(subject, end.number));
  found.groups.assign(groups.array->items().begin(), groups.array->items().end());
  return found;
}

// Walks over the matches of a subject.
class Matches {
 public:
  Matches(const Call& call, Value matcher, std::string_view subject)
      : call_(call), matcher_(matcher), subject_(subject) {}

  std::optional<Found> next() {
    call_.evaluator.step();
    if (matcher_.function->type == Function::Type::regex) return next_of_regex();
    const Value argument(subject_);
    const Value result = is_first_ ? call_.evaluator.apply(matcher_, {&argument, 1}, {}, call_.frame)
                                   : call_.evaluator.apply(next_, {}, {}, call_.frame);
    is_first_ = false;
    call_.evaluator.meter().read(subject_.size());
    auto found = read_match(result, subject_);
    if (found) next_ = found->next;
    return found;
  }

 private:
  std::optional<Found> next_of_regex() {
    if (!is_first_ && offset_ >= subject_.size()) return std::nullopt;
    // A match may look at all that is left, though most do not.
    call_.evaluator.step(static_cast<int64_t>((subject_.size() - offset_) / kBytesPerStep));
    const auto match = matcher_.function->regex->find(subject_, offset_);
    if (!match) return std::nullopt;
    if (!is_first_ && match->start == match->end) throw JsonataError("D1004");
    is_first_ = false;
    Found found{
        .match = subject_.substr(match->start, match->end - match->start), .start = match->start, .end = match->end};
    index_ += static_cast<double>(count_utf16(subject_.substr(counted_, match->start - counted_)));
    counted_ = match->start;
    found.index = index_;
    for (const auto& group : match->groups) found.groups.push_back(group ? Value(*group) : Value());
    offset_ = match->end;
    return found;
  }

  const Call& call_;
  Value matcher_;
  std::string_view subject_;
  Value next_;
  bool is_first_ = true;
  size_t offset_ = 0;
  size_t counted_ = 0;  // bytes of which index_ is the length in UTF-16
  double index_ = 0;
};

// How many matches an argument allows.
double limit_of(const Call& call, size_t argument, std::string_view code) {
  if (!call.has(argument)) return std::numeric_limits<double>::infinity();
  const double limit = call.argument(argument).number;
  if (limit < 0) throw JsonataError(code, {.value = number_text(limit)});
  return limit;
}

Value contains_match(const Call& call) {
  if (!call.has(0) || !call.has(1)) return {};
  const std::string_view text = call.argument(0).string();
  const Value token = call.argument(1);
  if (token.is(Kind::string)) return base::find(text, token.string()) != std::string_view::npos;
  return Matches(call, token, text).next().has_value();
}

void split_by(const Call& call, std::string_view text, std::string_view separator, double limit, Array& out) {
  const auto has_room = [&] { return static_cast<double>(out.size()) < limit; };
  if (separator.empty()) {
    for (size_t at = 0; at < text.size() && has_room(); at += character_size(text, at)) {
      out.push(Value(text.substr(at, character_size(text, at))));
    }
    return;
  }
  for (size_t next; (next = base::find(text, separator)) != std::string_view::npos && has_room();) {
    call.evaluator.step();
    out.push(Value(text.substr(0, next)));
    text.remove_prefix(next + separator.size());
  }
  if (has_room()) out.push(Value(text));
}

Value split(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  const double limit = std::floor(limit_of(call, 2, "D3020"));
  Array* const out = call.arena().make<Array>(call.arena());
  const Value separator = call.argument(1);
  if (!separator.defined()) {
    out->push(call.argument(0));
    return out;
  }
  if (separator.is(Kind::string)) {
    split_by(call, text, separator.string(), limit, *out);
    return out;
  }
  Matches matches(call, separator, text);
  size_t at = 0;
  auto found = matches.next();
  for (; found && static_cast<double>(out->size()) < limit; found = matches.next()) {
    out->push(Value(text.substr(at, std::max(found->start, at) - at)));
    at = found->end;
  }
  if (static_cast<double>(out->size()) < limit) out->push(Value(text.substr(at)));
  return out;
}

Array* array_of(Arena& arena, std::span<const Value> values) {
  Array* const array = arena.make<Array>(arena);
  array->append(values);
  return array;
}

Value match(const Call& call) {
  if (!call.has(0)) return {};
  Array* const out = sequence(call.arena());
  const double limit = limit_of(call, 2, "D3040");
  Matches matches(call, call.argument(1), call.argument(0).string());
  while (static_cast<double>(out->size()) < limit) {
    const auto found = matches.next();
    if (!found) break;
    Object* const object = call.arena().make<Object>(call.arena());
    object->set("match", Value(found->match));
    object->set("index", found->index);
    object->set("groups", array_of(call.arena(), found->groups));
    out->push(object);
  }
  return out;
}

// $0 is the match, $1 a group, $$ a dollar. Digits are taken as long as there may be a group of that number.
std::string substituted(std::string_view replacement, const Found& found) {
  std::string out;
  const size_t digits_max = std::to_string(std::max<size_t>(found.groups.size(), 1)).size();
  for (size_t at = 0; at < replacement.size(); ++at) {
    if (replacement[at] != '$' || at + 1 == replacement.size()) {
      out.push_back(replacement[at]);
      continue;
    }
    const std::string_view rest = replacement.substr(at + 1);
    if (rest[0] == '$' || rest[0] == '0') {
      out += rest[0] == '$' ? "$" : found.match;
      ++at;
      continue;
    }
    size_t digits = std::min(rest.find_first_not_of("0123456789"), std::min(rest.size(), digits_max));
    size_t number = 0;
    for (; digits > 0; --digits) {
      number = std::stoul(std::string(rest.substr(0, digits)));
      if (number <= found.groups.size() || digits == 1) break;
    }
    if (digits == 0) {
      out.push_back('$');
      continue;
    }
    if (number <= found.groups.size() && found.groups[number - 1].is(Kind::string)) {
      out += found.groups[number - 1].string();
    }
    at += digits;
  }
  return out;
}

std::string replaced_by(const Call& call, const Found& found) {
  const Value replacement = call.argument(2);
  if (replacement.is(Kind::string)) {
    call.evaluator.meter().read(replacement.size);
    return substituted(replacement.string(), found);
  }
  Object* const argument = call.arena().make<Object>(call.arena());
  argument->set("match", Value(found.match));
  argument->set("start", found.index);
  argument->set("end", found.index + static_cast<double>(count_utf16(found.match)));
  argument->set("groups", array_of(call.arena(), found.groups));
  const Value result = call.evaluator.apply_to(replacement, {argument});
  if (!result.is(Kind::string)) throw JsonataError("D3012", {.value = excerpt(result)});
  return std::string(result.string());
}

Value replace_string(const Call& call, std::string_view text, std::string_view pattern, double limit) {
  if (pattern.empty()) throw JsonataError("D3010");
  const Value replacement = call.argument(2);
  if (!replacement.is(Kind::string)) throw JsonataError("D3012", {.value = excerpt(replacement)});
  std::string out;
  for (double count = 0; count < limit; ++count) {
    const size_t next = base::find(text, pattern);
    if (next == std::string_view::npos) break;
    call.evaluator.step();
    call.arena().expect(static_cast<double>(out.size()));
    out.append(text.substr(0, next)).append(replacement.string());
    text.remove_prefix(next + pattern.size());
  }
  return call.text(out.append(text));
}

Value replace(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  const double limit = limit_of(call, 3, "D3011");
  const Value pattern = call.argument(1);
  if (!pattern.defined() || !call.has(2)) return call.argument(0);
  if (pattern.is(Kind::string)) return replace_string(call, text, pattern.string(), limit);
  Matches matches(call, pattern, text);
  std::string out;
  size_t at = 0;
  for (double count = 0; count < limit; ++count) {
    const auto found = matches.next();
    if (!found) break;
    call.arena().expect(static_cast<double>(out.size()));
    out.append(text.substr(at, std::max(found->start, at) - at)).append(replaced_by(call, *found));
    at = std::max(at, found->end);
  }
  return call.text(out.append(text.substr(at)));
}

constexpr Builtin kFunctions[] = {
    {"contains", "<s-(sf):b>", 2, contains_match},
    {"split", "<s-(sf)n?:a<s>>", 3, split},
    {"match", "<s-f<s:o>n?:a<o>>", 3, match},
    {"replace", "<s-(sf)(sf)n?:s>", 4, replace},
};

}  // namespace

std::span<const Builtin> pattern_functions() { return kFunctions; }

// What calling a regular expression gives: the match as an object, whose `next` finds the one behind.
Value Evaluator::result_of_match(const Regex& regex, std::string_view text, size_t from) {
  const bool is_next = from > 0;
  meter_.read(text.size());
  if (is_next && from >= text.size()) return {};
  const auto match = regex.find(text, from);
  if (!match) return {};
  if (is_next && match->start == match->end) throw JsonataError("D1004");
  Array* const groups = arena_.make<Array>(arena_);
  for (const auto& group : match->groups) groups->push(group ? Value(*group) : Value());
  const std::string_view characters = text.substr(match->start, match->end - match->start);
  const double start = static_cast<double>(count_utf16(text.substr(0, match->start)));
  Object* const object = arena_.make<Object>(arena_);
  object->set("match", Value(characters));
  object->set("start", start);
  object->set("end", start + static_cast<double>(count_utf16(characters)));
  object->set("groups", groups);
  object->set("next", arena_.make<Function>(Function{.type = Function::Type::next_match,
                                                     .regex = &regex,
                                                     .text = text,
                                                     .offset = std::max<size_t>(match->end, 1)}));
  return object;
}

}  // namespace tidemill::lang::jsonata

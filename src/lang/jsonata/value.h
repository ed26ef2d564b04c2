// Inside: values while an expression runs.
//
// All of them lie in one arena and are let go together, so that values are 16 bytes to copy and closures may form
// circles. JSON documents are not copied: an array or object takes over the members of its document when somebody first
// looks, one level at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::jsonata {

class Array;
class Object;
struct Function;
struct Tuple;

// `tuple` never leaves a path: an entry of the stream that @, # and % make.
enum class Kind : uint8_t { undefined, null, boolean, number, string, array, object, function, tuple };

struct Value {
  Kind kind = Kind::undefined;
  uint32_t size = 0;  // of a string, in bytes
  union {
    bool boolean;
    double number;
    const char* text;
    Array* array;
    Object* object;
    const Function* function;
    const Tuple* tuple;
  };

  Value() : number(0) {}
  Value(double value) : kind(Kind::number), number(value) {}
  Value(std::same_as<bool> auto value) : kind(Kind::boolean), number(0) { boolean = value; }
  // The characters must live as long as the evaluation.
  explicit Value(std::string_view value)
      : kind(Kind::string), size(static_cast<uint32_t>(value.size())), text(value.data()) {}
  Value(Array* value) : kind(Kind::array), array(value) {}
  Value(Object* value) : kind(Kind::object), object(value) {}
  Value(const Function* value) : kind(Kind::function), function(value) {}
  Value(const Tuple* value) : kind(Kind::tuple), tuple(value) {}
  static Value null() {
    Value value;
    value.kind = Kind::null;
    return value;
  }

  [[nodiscard]] bool is(Kind other) const { return kind == other; }
  [[nodiscard]] bool defined() const { return kind != Kind::undefined; }
  [[nodiscard]] std::string_view string() const { return {text, size}; }
};
static_assert(sizeof(Value) == 16);

// What is left of the steps of one evaluation. Throws U1001 once they are used up.
class Meter {
 public:
  explicit Meter(int64_t steps) : left_(steps) {}

  void take(int64_t steps = 1) {
    if ((left_ -= steps) < 0) stop();
  }
  // Of what is walked over by less than a step each: items, members, parts of values.
  void walk(size_t items = 1) {
    walked_ += items;
    if (walked_ < kItemsPerStep) return;
    take(static_cast<int64_t>(walked_ / kItemsPerStep));
    walked_ %= kItemsPerStep;
  }
  void read(size_t bytes) { walk(bytes / kBytesPerItem); }

  [[nodiscard]] int64_t left() const { return left_; }

 private:
  static constexpr size_t kItemsPerStep = 16;
  static constexpr size_t kBytesPerItem = 16;  // of text

  [[noreturn]] static void stop();

  int64_t left_;
  size_t walked_ = 0;
};

// Where the values of one evaluation lie. What is made in it is never destroyed, only let go.
class Arena {
 public:
  // Throws U1001 when more than `bytes_max` are asked for.
  explicit Arena(size_t bytes_max) : left_(bytes_max) {}
  Arena(const Arena&) = delete;

  void* allocate(size_t bytes);
  template <class T>
  T* make(auto&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T(std::forward<decltype(arguments)>(arguments)...);
  }
  template <class T>
  std::span<T> make_many(size_t count) {
    return {new (allocate(sizeof(T) * count)) T[count], count};
  }
  [[nodiscard]] std::string_view keep(std::string_view text);
  // Throws U1001 if so much does not fit any more: before work whose result would be that large.
  void expect(double bytes) const;

 private:
  static constexpr size_t kFirstChunk = 4096;
  static constexpr size_t kChunkMax = size_t{256} << 10;

  void* allocate_chunk(size_t bytes);

  size_t left_;
  std::byte* next_ = first_;
  std::byte* end_ = first_ + kFirstChunk;
  size_t chunk_ = kFirstChunk;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  alignas(16) std::byte first_[kFirstChunk];
};

// An array, or a sequence: what paths collect, of which one member stands for itself and none for nothing.
class Array {
 public:
  explicit Array(Arena& arena) : arena_(&arena) {}
  Array(Arena& arena, const json::Array& source)
      : arena_(&arena), is_pending_(true), source_(&source), size_(static_cast<uint32_t>(source.size())) {}
  // The numbers from `first` on, which take no room before somebody looks.
  Array(Arena& arena, double first, uint32_t count) : arena_(&arena), is_pending_(true), first_(first), size_(count) {}

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<Value> items() {
    if (is_pending_) fill();
    return {items_, size_};
  }
  [[nodiscard]] Value at(size_t index) { return items()[index]; }
  void push(Value value);
  void append(std::span<const Value> values);
  void reserve(size_t count);

  bool sequence = false;
  bool keep_singleton = false;  // a sequence of one remains an array
  bool constructed = false;     // written as [...] at an end of a path: a step does not flatten it
  bool outer = false;           // the wrapping of an input that is an array itself
  bool tuples = false;          // its members are tuples

 private:
  void fill();

  Arena* arena_;
  bool is_pending_ = false;  // items_ are still to be made: of source_, or the numbers from first_ on
  const json::Array* source_ = nullptr;
  double first_ = 0;
  Value* items_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

// Members in the order of their first mention.
class Object {
 public:
  struct Member {
    std::string_view name;
    Value value;
  };

  explicit Object(Arena& arena) : arena_(&arena) {}
  Object(Arena& arena, const json::Object& source) : arena_(&arena), source_(&source) {}

  [[nodiscard]] std::span<Member> members() {
    if (source_) fill();
    return {members_, size_};
  }
  [[nodiscard]] size_t size() { return source_ ? source_->size() : size_; }
  [[nodiscard]] Value* find(std::string_view name);
  // `name` must live as long as the evaluation.
  void set(std::string_view name, Value value);
  void erase(std::string_view name);

 private:
  void fill();
  void grow();
  void index();
  [[nodiscard]] uint32_t* slot_of(std::string_view name);

  Arena* arena_;
  const json::Object* source_ = nullptr;
  Member* members_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  uint32_t* slots_ = nullptr;  // of larger objects: 1 + the place of the member by its name's hash; 0: free
  uint32_t slot_count_ = 0;
};

// What variables are bound to.
struct Binding {
  std::string_view name;
  Value value;
  Binding* next = nullptr;
};

// One entry of a tuple stream: an item, and what @, # and % bound on the way to it. Bindings are shared and never
// changed.
struct Tuple {
  Value item;
  Binding* bindings = nullptr;

  [[nodiscard]] const Binding* find(std::string_view name) const;
};

// A scope.
class Frame {
 public:
  explicit Frame(Frame* parent, Binding* shared = nullptr)
      : parent_(parent), bindings_(shared), is_shared_(shared != nullptr) {}

  void bind(Arena& arena, Meter& meter, std::string_view name, Value value);
  // Here or in a scope around; null if nobody bound it.
  [[nodiscard]] const Value* find(std::string_view name, Meter& meter) const;

 private:
  Frame* parent_;
  Binding* bindings_;
  bool is_shared_;
};

[[nodiscard]] Value from_json(Arena& arena, const json::Value& value);
// Of a document that does not live as long as the evaluation.
[[nodiscard]] Value own_json(Arena& arena, Meter& meter, const json::Value& value, int depth = 0);
// How deep values may nest wherever somebody walks down them; more is U1001.
inline constexpr int kNestingMax = json::kDepthMax;
void check_nesting(int depth);

// Functions are left out of objects and null in arrays; undefined likewise. A value may stand in many places of another,
// and becomes a copy for each: of more than `bytes_max` U1001.
[[nodiscard]] json::Value to_json(Meter& meter, Value value, size_t bytes_max);

[[nodiscard]] bool deep_equal(Meter& meter, Value a, Value b, int depth = 0);
// Of equal values equal.
[[nodiscard]] uint64_t deep_hash(Meter& meter, Value value, int depth = 0);
// A copy of the data alone, which may be changed.
[[nodiscard]] Value deep_copy(Arena& arena, Meter& meter, Value value, int depth = 0);

// The sequence of these; sequence() of undefined has one undefined member.
[[nodiscard]] Array* sequence(Arena& arena);
[[nodiscard]] Array* sequence(Arena& arena, Value only);

// As short as reads back the same, in JavaScript's manner: 100, 1e+21, 1.5e-7.
[[nodiscard]] std::string number_text(double number);
// Rounded to the 15 digits of $string.
[[nodiscard]] double to_15_digits(double number);
// $string: JSON text; of a string itself. `indented`: two spaces a level. Throws D3001.
[[nodiscard]] std::string to_text(Meter& meter, Value value, bool indented = false);
// For error messages: shortened.
[[nodiscard]] std::string excerpt(Value value);

}  // namespace tidemill::lang::jsonata

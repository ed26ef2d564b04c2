// CBOR (RFC 8949) as AWS's clients speak it: what shape_cbor.h reads requests from and writes answers with.
//
// Read: every form of lengths, also indefinite ones; floats of every width; null and undefined are as if the value were
// absent; tags other than of times are passed over, numbers beyond 64 bits (tags 2 to 5) refused. Written: structures as
// maps of indefinite length, as AWS does, everything else with its length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "wire/element_room.h"
#include "wire/registry.h"

namespace tidemill::wire::cbor {

// What the number of a time (tag 1) counts.
enum class TimeUnit {
  milliseconds,  // application/x-amz-cbor-1.1
  seconds,       // Smithy RPC v2, and the standard
};

class Reader {
 public:
  static constexpr int kDepthMax = 64;  // of lists and maps in each other

  // `bytes` must outlive it. An empty body is as good as an empty map.
  Reader(std::string_view bytes, TimeUnit unit);

  // A list or map that is being read: while (in.more(map)) …
  struct Container {
    uint64_t left = 0;
    bool indefinite = false;
  };
  // What AWS says of a wrong type: SerializationException, as all here.
  Container open_map();
  Container open_list();
  bool more(Container& container);
  // For an element or entry that takes so many bytes of memory.
  void take_room(size_t bytes) { room_.take(bytes); }
  // Of a map's next entry. Valid until the next call.
  std::string_view key();

  // Takes the value if it is null or undefined.
  bool null();
  // Of a list's next element: refuses null.
  void refuse_null();
  std::string text();
  std::string bytes();
  bool boolean();
  int32_t integer();  // fractions are cut off; beyond the range: its end
  int64_t long_integer();
  double number();
  base::Time timestamp();
  void skip();
  // A member that Tidemill does not support: throws the service's error with its name, unless the value is an empty list
  // or map, or `accepted`, which ask for nothing.
  void refuse_unsupported(const OperationInfo& operation, std::string_view name, std::string_view accepted);

  // Throws unless everything has been read.
  void finish() const;

 private:
  struct Head {
    uint8_t major = 0;
    uint8_t minor = 0;  // the low five bits
    uint64_t value = 0;
  };
  [[nodiscard]] uint8_t peek() const;
  Head head();
  Head head_after_tags();
  void skip_tags();
  std::string_view take(uint64_t count);
  // Text or bytes, in one piece or in several.
  std::string_view string_of(uint8_t major, std::string& joined);
  Container open(uint8_t major, std::string_view what);

  std::string_view rest_;
  TimeUnit unit_;
  ElementRoom room_;
  int depth_ = 0;
  std::string key_;  // of a key that came in pieces
};

class Writer {
 public:
  // Appends to `out`, which must outlive it.
  Writer(std::string& out, TimeUnit unit) : out_(out), unit_(unit) {}
  Writer(const Writer&) = delete;

  void begin_structure() { out_.push_back('\xBF'); }
  void end_structure() { out_.push_back('\xFF'); }
  void map(size_t entries) { head(5, entries); }
  void list(size_t elements) { head(4, elements); }
  void key(std::string_view name) { text(name); }
  void text(std::string_view value);
  void bytes(std::string_view value);
  void boolean(bool value) { out_.push_back(value ? '\xF5' : '\xF4'); }
  void integer(int64_t value);
  void number(double value);
  void timestamp(base::Time value);
  // A document of json, for the members of errors, which are kept as such.
  void value(const json::Value& value);

 private:
  void head(uint8_t major, uint64_t value);

  std::string& out_;
  TimeUnit unit_;
};

}  // namespace tidemill::wire::cbor

namespace tidemill::wire {

[[nodiscard]] inline bool is_cbor(Encoding encoding) {
  return encoding == Encoding::cbor || encoding == Encoding::rpc_cbor;
}
[[nodiscard]] inline cbor::TimeUnit time_unit_of(Encoding encoding) {
  return encoding == Encoding::cbor ? cbor::TimeUnit::milliseconds : cbor::TimeUnit::seconds;
}

}  // namespace tidemill::wire

// What FROM finds in a JSON document, one after the other: much may be in one document.
#pragma once

#include <vector>

#include "lang/select/statement.h"

namespace tidemill::lang::select {

class Findings {
 public:
  // The path outlives it.
  explicit Findings(const Path& from) : from_(from) {}
  Findings(const Findings&) = delete;

  void open(json::Value document);
  // The next row, valid until open(). Null: there are no more.
  [[nodiscard]] const json::Value* next();

 private:
  // A [*]: where it stands, and how many of its elements or members have been taken.
  struct Place {
    const json::Value* document = nullptr;
    size_t step = 0;
    size_t taken = 0;
  };
  [[nodiscard]] static const json::Value* take(Place& place);
  // To the path's end; null: there is nothing, or a [*] stands before, which next() takes up.
  [[nodiscard]] const json::Value* follow(const json::Value& document, size_t step);

  const Path& from_;
  json::Value document_;
  bool is_new_ = false;
  std::vector<Place> places_;
};

}  // namespace tidemill::lang::select

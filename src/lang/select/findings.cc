#include "lang/select/findings.h"

#include "lang/select/row.h"

namespace tidemill::lang::select {

void Findings::open(json::Value document) {
  places_.clear();
  document_ = std::move(document);
  is_new_ = true;
}

const json::Value* Findings::next() {
  if (std::exchange(is_new_, false)) {
    // The first [*] is the values of the object one by one, which they are in any case.
    const bool is_every = !from_.empty() && from_[0].kind == Step::Kind::every;
    if (const json::Value* row = follow(document_, is_every ? 1 : 0)) return row;
  }
  while (!places_.empty()) {
    const json::Value* found = take(places_.back());
    if (!found) {
      places_.pop_back();
    } else if (const json::Value* row = follow(*found, places_.back().step + 1)) {
      return row;
    }
  }
  return nullptr;
}

const json::Value* Findings::take(Place& place) {
  const json::Value& document = *place.document;
  if (document.is_array() && place.taken < document.array().size()) return &document.array()[place.taken++];
  if (document.is_object() && place.taken < document.object().size())
    return &(document.object().begin() + static_cast<ptrdiff_t>(place.taken++))->second;
  return nullptr;
}

const json::Value* Findings::follow(const json::Value& document, size_t step) {
  const json::Value* at = &document;
  for (; at && step < from_.size(); ++step) {
    if (from_[step].kind == Step::Kind::every) {
      places_.push_back({.document = at, .step = step});
      return nullptr;
    }
    at = find_step(*at, from_[step]);
  }
  return at;
}

}  // namespace tidemill::lang::select

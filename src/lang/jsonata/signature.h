// Inside: what arguments a function takes, written <s-nn?:s>.
//
//   s n b l o a f     string, number, boolean, null, object, array, function; undefined fits all but f
//   j x               any JSON value; anything
//   (sn)  a<n>        a choice; an array of
//   -  ?  +           the context stands in for a missing argument; optional; one or more
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

class Signature {
 public:
  // Throws S0401, S0402.
  explicit Signature(std::string_view text);

  // The arguments as the function shall see them: the context filled in, single values made arrays. Throws T0410,
  // T0411, T0412.
  [[nodiscard]] std::vector<Value> check(Arena& arena, std::span<const Value> arguments, Value context) const;

 private:
  struct Parameter {
    std::string types;    // which symbols fit
    char element = '\0';  // of an array of one type
    bool is_array = false;
    bool takes_context = false;
    bool may_miss = false;
    bool repeats = false;
  };

  bool match(std::string_view symbols, size_t parameter, std::vector<size_t>& counts) const;
  [[nodiscard]] size_t good_until(std::string_view symbols) const;
  Value checked_array(Arena& arena, const Parameter& parameter, Value argument, size_t number) const;

  std::vector<Parameter> parameters_;
};

}  // namespace tidemill::lang::jsonata

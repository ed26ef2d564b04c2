// Runs an operation that is let in, and makes an answer of what it gives or throws; the last resort for defects.
#pragma once

#include <string>

#include "net/http.h"
#include "wire/context.h"
#include "wire/query_form.h"
#include "wire/registry.h"

namespace tidemill::wire {

// A call with everything that it uses, so that it can go on to its end if its client leaves.
struct Call {
  const Registry::Operation& operation;
  Context context;
  WireRequest in;
  std::string body;  // of `in`
  shapes::QueryForm form = {};  // of a Query request
};

// Counted and traced. Whatever goes wrong becomes an answer.
Task<net::Response> run(Call call);

}  // namespace tidemill::wire

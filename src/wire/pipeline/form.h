// The Query protocol: requests that are forms, in a body or in a query string. Only what stands in them tells which
// operation they mean.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http.h"
#include "wire/pipeline/identify.h"
#include "wire/query_form.h"
#include "wire/registry.h"

namespace tidemill::wire {

struct Form {
  shapes::QueryForm tree;
  std::string action;               // "": it names none
  const Endpoint* endpoint = nullptr;  // null: that Tidemill lacks
};

// Of a request that is identified as a form; a large one is read on a thread of `large`, which must outlive it. Throws
// Error for what is none, or too large; net's exceptions.
Task<Form> read_form(net::Request& request, const Identity& identity, const Routes& routes, base::BlockingWork& large);

}  // namespace tidemill::wire

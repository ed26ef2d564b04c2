// The Query protocol by tables: requests out of forms (wire/query_form.h). Answers are shape_xml.h's.
#pragma once

#include "wire/query_form.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

// Reads a form into a new `structure`. Throws SerializationException, and the service's error for what is unsupported.
void read_query(const QueryNode& form, const Shape& shape, void* structure, const OperationInfo& operation);

}  // namespace tidemill::wire::shapes

// CBOR by tables: the json protocol's binary form and Smithy RPC v2.
#pragma once

#include "wire/cbor.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

// Reads a body into a new `structure`. Throws SerializationException, and the service's error for what is unsupported.
void read_cbor(cbor::Reader& in, const Shape& shape, void* structure, const OperationInfo& operation);

void write_cbor(cbor::Writer& writer, const Shape& shape, const void* structure);

}  // namespace tidemill::wire::shapes

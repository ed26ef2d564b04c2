// The rest protocols by tables: labels, query, headers, payload and status, and bodies of JSON or XML.
#pragma once

#include "wire/registry.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

struct ReadContext;

// Reads a request into a new structure of the operation's input. Throws as the readers of its parts do.
void read_rest(const WireRequest& request, void* structure, ReadContext& context);

// What a violated constraint of a body is to S3, before anything else is looked at: throws MissingRequestBodyError and
// MalformedXML. Of rest-xml only.
void check_payload(const OperationInfo& operation, const void* structure);

void write_rest(const OperationInfo& operation, const void* structure, WireResponse& out);

// The status and the headers, for answers whose body is written by somebody else.
void write_rest_head(const OperationInfo& operation, const void* structure, WireResponse& out);

}  // namespace tidemill::wire::shapes

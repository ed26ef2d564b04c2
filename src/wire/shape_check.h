// The constraints of a structure's members by tables.
#pragma once

#include "wire/shape_table.h"
#include "wire/validation.h"

namespace tidemill::wire::shapes {

// Adds what `structure` violates, in the order of the model. `parent`: where it stands; nullptr: it is the request.
void check_structure(const Shape& shape, const void* structure, const Path* parent, Violations& out);

}  // namespace tidemill::wire::shapes

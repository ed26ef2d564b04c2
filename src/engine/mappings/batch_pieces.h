// What becomes of the pieces of a batch that failed (checkpoint.h). Pure functions. The batch in hand is always the
// front piece or, where BatchSize became smaller meanwhile, its beginning.
#pragma once

#include <vector>

#include "engine/mappings/checkpoint.h"

namespace tidemill::engine {

using BatchPieces = std::vector<BatchPiece>;

// The piece that is the batch ending at `last`; made if there was none.
BatchPiece& piece_for(BatchPieces& pieces, store::Position last);

// The batch was halved after its record at `middle`. Neither half has been tried by itself.
void halve(BatchPieces& pieces, store::Position middle, store::Position last);

// Of the batch that ended at `last` the beginning has succeeded: what remains is tried from its first attempt on.
void keep_rest(BatchPieces& pieces, store::Position last);

// Everything up to `done` is finished. `succeeded`: it was not given up, so what a smaller batch has left of a piece is
// tried from its first attempt on.
void finish(BatchPieces& pieces, store::Position done, bool succeeded);

}  // namespace tidemill::engine

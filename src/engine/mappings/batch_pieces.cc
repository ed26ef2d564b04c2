#include "engine/mappings/batch_pieces.h"

namespace tidemill::engine {

BatchPiece& piece_for(BatchPieces& pieces, store::Position last) {
  if (pieces.empty() || pieces.front().last < last) {
    pieces.insert(pieces.begin(), BatchPiece{.last = last});
  } else if (pieces.front().last > last) {
    BatchPiece beginning = pieces.front();
    beginning.last = last;
    pieces.front() = BatchPiece{.last = pieces.front().last};
    pieces.insert(pieces.begin(), beginning);
  }
  return pieces.front();
}

void halve(BatchPieces& pieces, store::Position middle, store::Position last) {
  piece_for(pieces, last) = BatchPiece{.last = last};
  pieces.insert(pieces.begin(), BatchPiece{.last = middle});
}

void keep_rest(BatchPieces& pieces, store::Position last) { piece_for(pieces, last) = BatchPiece{.last = last}; }

void finish(BatchPieces& pieces, store::Position done, bool succeeded) {
  std::erase_if(pieces, [&](const BatchPiece& piece) { return piece.last <= done; });
  if (succeeded && !pieces.empty()) pieces.front() = BatchPiece{.last = pieces.front().last};
}

}  // namespace tidemill::engine

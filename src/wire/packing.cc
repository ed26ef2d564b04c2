#include "wire/packing.h"

#include "base/executor.h"

namespace tidemill::wire {
namespace {

constexpr size_t kPackedAtOnce = 8 << 10;
constexpr size_t kStepsPerPiece = 200;  // to pack it takes about so many microseconds (base::slice_is_over)

}  // namespace

Task<void> pack(GzipWriter& writer, std::string_view text) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPackedAtOnce);
    writer.add(piece);
    text.remove_prefix(piece.size());
    if (base::slice_is_over(kStepsPerPiece)) co_await base::give_way();
  }
}

Task<std::string> packed(std::string_view text) {
  GzipWriter writer;
  co_await pack(writer, text);
  co_return writer.finish();
}

}  // namespace tidemill::wire

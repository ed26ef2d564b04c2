// How the files of exports and imports are packed, a piece at a time: what is in memory is never more than a piece and
// the codec's window.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::dynamodb {

inline constexpr size_t kUnpackedPieceBytes = 64 << 10;
// Zstandard files that need more are refused: 2^25 bytes, as levels up to 20 do with.
inline constexpr int kZstdWindowLogMax = 25;

enum class Packing { none, gzip, zstd };

// The file is no file of its packing, or not all of one.
class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//   unpacker.add(piece);
//   while (const auto part = unpacker.next()) …
//   …and once there are no more pieces: unpacker.check_end();
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // All that was added before has been taken.
  virtual void add(std::string piece) = 0;
  // At most kUnpackedPieceBytes (of Packing::none: the piece), valid until the next call. Nothing: more is needed.
  // Throws DamagedFile.
  virtual std::optional<std::string_view> next() = 0;
  // Throws DamagedFile if the file ends in the middle. An empty file is whole.
  virtual void check_end() const = 0;
};
[[nodiscard]] std::unique_ptr<Unpacker> make_unpacker(Packing packing);

}  // namespace tidemill::dynamodb

// Unpacks an object that a query reads, piece by piece.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::s3 {

enum class Packing : uint8_t { none, gzip, bzip2 };

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // All that was added before has been taken.
  virtual void add(std::string piece) = 0;
  // The next part, 512 KiB at most, valid until the next call. Nothing: more is needed. Throws std::runtime_error for
  // what is not packed so.
  [[nodiscard]] virtual std::optional<std::string_view> next() = 0;
  // What was added is all of it.
  [[nodiscard]] virtual bool is_whole() const = 0;
};

[[nodiscard]] std::unique_ptr<Unpacker> make_unpacker(Packing packing);

}  // namespace tidemill::s3

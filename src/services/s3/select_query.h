// A statement asked of what is read of an object, on the service's threads, which take turns with it.
//
//   auto query = std::make_shared<SelectQuery>(…);
//   for each piece: query->add(piece); while (co_await work.run([query] { return query->take_turn(); }))
//   send(query->rows());
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "lang/select/scan.h"
#include "services/s3/unpacking.h"

namespace tidemill::s3 {

// Others' queries wait so long, and a row, for one that has much to do.
inline constexpr std::chrono::milliseconds kSelectTurn{5};
// Rows wait until they come to this.
inline constexpr size_t kSelectRowsBytes = 64 << 10;

// Whoever reads the object has it between turns, a thread while it takes one; only abandon() may come at any time.
class SelectQuery {
 public:
  // Throws select::SelectError.
  SelectQuery(lang::select::Statement statement, lang::select::Input input, lang::select::Output output, base::Time now,
              Packing packing)
      : unpacker_(make_unpacker(packing)), scan_(std::move(statement), std::move(input), std::move(output), now) {}

  // The next piece of the object, once the last is done.
  void add(std::string piece) { unpacker_->add(std::move(piece)); }
  void end() { is_read_ = true; }
  // True: there is more to do with what was added. Throws wire::Error.
  [[nodiscard]] bool take_turn();
  // Nobody waits any more: a turn under way ends soon.
  void abandon() { scan_.abandon(); }

  // Nothing more is needed of the object.
  [[nodiscard]] bool is_done() const { return is_ended_ || scan_.is_done(); }
  [[nodiscard]] std::string& rows() { return rows_; }
  [[nodiscard]] uint64_t processed() const { return processed_; }
  [[nodiscard]] uint64_t returned() const { return returned_; }

 private:
  // The next part of what was added; false: there is none.
  bool unpack();

  const std::unique_ptr<Unpacker> unpacker_;
  lang::select::Scan scan_;
  std::string rows_;
  bool is_read_ = false;
  bool is_ended_ = false;
  uint64_t processed_ = 0;
  uint64_t returned_ = 0;
};

}  // namespace tidemill::s3

// For tests and fuzzers: a connection that is bytes in memory, whose client takes all there is and whose time is turned by
// hand.
#pragma once

#include "net/session.h"

namespace tidemill::net {

class MemoryTransport final : public Transport {
 public:
  MemoryTransport() : Transport(64 << 10) {}
  void flush() override { output.consume(output.size()); }
  void flush_soon(base::Activity::Hold) override { flush_due = true; }
  void read_more() override {}
  void close_after_flush() override { closed = true; }
  [[nodiscard]] bool is_dead() const override { return false; }
  [[nodiscard]] uint32_t tick() const override { return now; }

  bool closed = false;
  bool flush_due = false;
  uint32_t now = 0;
};

}  // namespace tidemill::net

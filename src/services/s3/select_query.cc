#include "services/s3/select_query.h"

#include "services/s3/errors.h"
#include "services/s3/select_format.h"

namespace tidemill::s3 {
namespace {

using Steady = lang::select::Scan::Steady;

wire::Error truncated() {
  return errors::error("TruncatedInput", 400,
                       "Object decompression failed. Check that the object is properly compressed using the format "
                       "specified in the request.");
}

}  // namespace

bool SelectQuery::take_turn() {
  const Steady::time_point until = Steady::now() + kSelectTurn;
  try {
    do {
      const bool is_more = scan_.go_on(until);
      const std::string rows = scan_.take();
      returned_ += rows.size();
      rows_ += rows;
      if (scan_.is_abandoned()) return false;
      if (is_more || rows_.size() >= kSelectRowsBytes) return true;
      if (is_done() || !unpack()) return false;
    } while (Steady::now() < until);
    return true;
  } catch (const lang::select::SelectError& error) {
    throw select_refusal(error);
  } catch (const std::runtime_error&) {
    throw truncated();
  }
}

bool SelectQuery::unpack() {
  if (const auto part = unpacker_->next()) {
    processed_ += part->size();
    scan_.add(*part);
    return true;
  }
  if (!is_read_) return false;
  if (!unpacker_->is_whole()) throw truncated();
  scan_.end();
  is_ended_ = true;
  return true;
}

}  // namespace tidemill::s3

// How far a distributed Map has read its items.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::states {

struct ItemCursor {
  uint64_t index = 0;    // of the next item
  uint64_t offset = 0;   // bytes of the object that are behind it
  std::string token;     // of listings: the last key; of JSON: what the items stand in, '[' or '{'
  std::string etag;      // of the object: it must stay what it was
  std::vector<std::string> headers;  // of CSV
  bool is_done = false;  // there are no more
};

}  // namespace tidemill::states

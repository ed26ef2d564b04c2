// Writers of one item, or of one item collection, go one after the other.
#pragma once

#include "store/write_queue.h"

namespace tidemill::dynamodb {

using ItemQueue = store::WriteQueue;

}  // namespace tidemill::dynamodb

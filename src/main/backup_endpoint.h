// POST /_tidemill/backup: copies the data directory, while it is used, to a directory of the server's machine:
//
//   {"to":"/backups/monday"}  ->  200 {"to":"/backups/monday"}
//
// What cannot be done is refused with 400 and {"error":"…"} (store/backup.h).
#pragma once

#include "base/blocking_work.h"
#include "net/http.h"
#include "store/blobs.h"
#include "store/store.h"

namespace tidemill {

class Backups {
 public:
  // Both outlive this.
  Backups(store::Store& store, store::Blobs& blobs) : store_(store), blobs_(blobs) {}
  Task<net::Response> answer(net::Request& request);

 private:
  store::Store& store_;
  store::Blobs& blobs_;
  base::BlockingWork work_;  // one thread: one backup at a time
};

}  // namespace tidemill

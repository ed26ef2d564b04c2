// POST /_tidemill/backup: copies the data directory, while it is used, to a directory of the server's machine:
//
//   {"to":"/backups/monday"}  ->  200 {"to":"/backups/monday"}
//
// What cannot be done is refused with 400 and {"error":"…"} (store/backup.h); one that a stop of the server cuts short
// is answered with 503 in the same form.
#pragma once

#include <stop_token>

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
  // The one that is under way, and those that wait for it. Any thread.
  void cut_short() { stop_.request_stop(); }

 private:
  store::Store& store_;
  store::Blobs& blobs_;
  std::stop_source stop_;
  base::BlockingWork work_;  // one thread: one backup at a time
};

}  // namespace tidemill

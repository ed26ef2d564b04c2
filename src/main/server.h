// The server as a whole: clock, event loops, store, services and the HTTP front, assembled and taken apart again.
#pragma once

#include <memory>
#include <string>

#include "main/options.h"

namespace tidemill {

class Server {
 public:
  // Opens the store, listens and starts everything; when it returns, requests are answered. Throws store::OpenError,
  // net::ListenError, std::filesystem::filesystem_error: what() is one line that says what to do.
  explicit Server(const Options& options);
  // Stops within a second: takes no more connections, gives what is under way a moment, then ends it. What is durable
  // goes on after the next start.
  ~Server();
  Server(const Server&) = delete;

  // "http://127.0.0.1:4566"
  [[nodiscard]] const std::string& endpoint() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill

// The server as a whole: clock, event loops, store, services and the HTTP front, assembled and taken apart again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "main/access_keys.h"
#include "main/options.h"

namespace tidemill {

class Server {
 public:
  // Opens the store, listens and starts everything; when it returns, requests are answered. Throws store::OpenError,
  // net::ListenError, std::filesystem::filesystem_error: what() is one line that says what to do.
  explicit Server(const Options& options);
  // stop(), with nobody who hurries.
  ~Server();
  Server(const Server&) = delete;

  // Takes no more connections, answers those who wait for something to come, and gives the requests and functions that
  // are under way their time (Options::grace_seconds) before it ends them. What is durable goes on after the next
  // start. `hurries` waits for so long, or until there is a reason to wait no longer, and tells whether there is.
  using Hurry = std::function<bool(std::chrono::milliseconds)>;
  void stop(const Hurry& hurries);

  // "http://127.0.0.1:4566"
  [[nodiscard]] const std::string& endpoint() const;
  // The root's key, if this start has made it (Auth::checked): it is shown this once.
  [[nodiscard]] const std::optional<RootKey>& new_root_key() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill

// Who is subscribed to which topic. Inside store/ only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/buffered_transaction.h"

namespace tidemill::store {

class Topics {
 public:
  Topics();
  ~Topics();

  // Any thread. The subscription may outlive this object.
  Subscription subscribe(std::string_view topic, std::function<void()> callback);

  // Collects the topics of a commit's transactions, then calls each subscriber once. One thread at a time.
  void add(const BufferedTransaction& txn);
  void notify();

  struct Registry;  // internal
  struct Subscriber;

 private:
  std::shared_ptr<Registry> registry_;
  std::vector<std::shared_ptr<Subscriber>> to_notify_;
};

}  // namespace tidemill::store

// The key that seals all material of a pond. It is made when it is first needed, and what the store knows of it is enough
// to tell it from any other: so a file that is missing or another's is an error, and never a new key.
//
// In the store: KeySpace::resource, ("", "", "kms", "master", "key"), as JSON: the pond's id, and the key's fingerprint
// once the key was durable.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "crypto/secret.h"
#include "services/kms/key_file.h"
#include "store/store.h"

namespace tidemill::kms {

class MasterKey {
 public:
  // What is passed outlives this.
  MasterKey(store::Store& store, KeyFile& file) : store_(store), file_(file) {}

  // Throws Error KeyUnavailableException, with the file's name. Any thread.
  Task<std::shared_ptr<const crypto::Secret>> get();

  // Of a pond that has one: logs an error if get() would fail. Else nothing happens.
  Task<void> check();

 private:
  struct Record {
    std::string pond;
    std::string fingerprint;  // empty: there is none yet
  };
  Task<Record> load_or_begin();
  Task<crypto::Secret> read(Record record);
  // False: somebody was faster.
  Task<bool> note(Record record);

  static Record decode(std::string_view bytes);
  static std::string encode(const Record& record);

  store::Store& store_;
  KeyFile& file_;
  std::mutex mutex_;
  std::shared_ptr<const crypto::Secret> known_;  // once it was read
};

}  // namespace tidemill::kms

#include "base/seldom_log.h"

namespace tidemill::base {

SeldomLog::~SeldomLog() {
  for (const auto& [key, silence] : silences_) tell(silence);
}

void SeldomLog::warn(std::vector<Field> thing, std::vector<Field> details) {
  std::string key;
  for (const Field& field : thing) key.append(field.value).push_back('\0');
  const bool is_known = silences_.contains(key);
  if (!is_known && silences_.size() >= kThingsMax) {
    key.clear();
    thing.clear();
  }
  auto [at, is_new] = silences_.try_emplace(key);
  if (!is_new) {
    ++at->second.untold;
    return;
  }
  at->second.thing = thing;
  at->second.end = Executor::current().call_after(kSilence, [this, key] { end(key); });
  thing.insert(thing.end(), std::make_move_iterator(details.begin()), std::make_move_iterator(details.end()));
  log_fields(Level::warning, event_, thing);
}

void SeldomLog::tell(const Silence& silence) const {
  if (silence.untold == 0) return;
  std::vector<Field> fields = silence.thing;
  fields.push_back({"more_like_this", std::to_string(silence.untold)});
  log_fields(Level::warning, event_, fields);
}

// A minute in which something was counted is followed by another that only counts.
void SeldomLog::end(const std::string& key) {
  const auto at = silences_.find(key);
  if (at->second.untold == 0) {
    silences_.erase(at);
    return;
  }
  tell(at->second);
  at->second.untold = 0;
  at->second.end = Executor::current().call_after(kSilence, [this, key] { end(key); });
}

}  // namespace tidemill::base

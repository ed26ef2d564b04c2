// What parses as a rule is decided without harm, whatever the states.
#include <cstdint>
#include <string_view>

#include "lang/alarms/alarm_rule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill::lang::alarms;
  try {
    const AlarmRule rule = AlarmRule::parse({reinterpret_cast<const char*>(data), size});
    (void)rule.holds([](const std::string& alarm) -> std::string { return alarm.size() % 2 == 0 ? "OK" : "ALARM"; });
  } catch (const RuleError&) {
  }
  return 0;
}

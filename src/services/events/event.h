// An event as rules and targets see it: the envelope around a detail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "services/events/address.h"

namespace tidemill::events {

// How deep details may nest; a document of one is deeper by one.
inline constexpr int kDetailDepthMax = 1000;

struct Event {
  std::string id;  // a UUID
  std::string source;
  std::string detail_type;
  std::string account;
  std::string region;
  base::Time time;
  std::vector<std::string> resources;
  json::Value detail;  // an object
};

[[nodiscard]] json::Value document_of(Event event);

// An event on a bus, on its way to the bus's rules.
struct Arrival {
  // `document`: as document_of() makes it.
  Arrival(BusAddress bus, json::Value document, base::Time ingested);

  BusAddress bus;
  json::Value document;
  std::string text;  // of the document
  base::Time ingested;
  std::string trace_header;
  bool is_forwarded = false;  // from another bus: it goes to no further one

  [[nodiscard]] const std::string& id() const;
};

// "2026-11-21T00:22:50Z", as events tell times.
[[nodiscard]] std::string event_time(base::Time time);

}  // namespace tidemill::events

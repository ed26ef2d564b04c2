#include "services/events/event.h"

#include "base/text.h"

namespace tidemill::events {

std::string event_time(base::Time time) {
  constexpr size_t kUpToSeconds = 19;
  return base::iso_milliseconds(time).substr(0, kUpToSeconds) + "Z";
}

json::Value document_of(Event event) {
  json::Array resources;
  for (std::string& resource : event.resources) resources.emplace_back(std::move(resource));
  json::Object document{{"version", "0"}, {"id", std::move(event.id)}, {"detail-type", std::move(event.detail_type)}};
  document.set("source", std::move(event.source));
  document.set("account", std::move(event.account));
  document.set("time", event_time(event.time));
  document.set("region", std::move(event.region));
  document.set("resources", std::move(resources));
  document.set("detail", std::move(event.detail));
  return document;
}

Arrival::Arrival(BusAddress on, json::Value event, base::Time when)
    : bus(std::move(on)), document(std::move(event)), text(json::write(document)), ingested(when) {}

const std::string& Arrival::id() const { return document.find("id")->string(); }

}  // namespace tidemill::events

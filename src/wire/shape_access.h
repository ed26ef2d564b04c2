// Makes the tables of shape_table.h for C++ types: what generated sources are written with, and nothing else includes.
// Each template exists once for a C++ type, however many members have it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/event_message.h"
#include "wire/event_stream.h"
#include "wire/registry.h"
#include "wire/shape_events.h"
#include "wire/shape_table.h"
#include "wire/validation.h"

namespace tidemill::wire::shapes {

template <class T>
inline constexpr OptionalAccess kOptional{
    [](void* optional) -> void* { return &static_cast<std::optional<T>*>(optional)->emplace(); },
    [](const void* optional) -> const void* {
      const auto& it = *static_cast<const std::optional<T>*>(optional);
      return it ? std::addressof(*it) : nullptr;
    },
    [](void* optional) -> void* {
      auto& it = *static_cast<std::optional<T>*>(optional);
      return it ? std::addressof(*it) : &it.emplace();
    }};

template <class T>
inline constexpr ListAccess kList{
    sizeof(T), [](void* list) -> void* { return &static_cast<std::vector<T>*>(list)->emplace_back(); },
    [](const void* list, size_t& size) -> const void* {
      const auto& it = *static_cast<const std::vector<T>*>(list);
      size = it.size();
      return it.data();
    },
    [](void* list) { static_cast<std::vector<T>*>(list)->clear(); }};

template <class T>
inline constexpr MapAccess kMap{
    sizeof(std::pair<const std::string, T>) + 4 * sizeof(void*),  // with the links of a tree
    [](void* map, std::string key) -> void* {
      auto [slot, is_new] = static_cast<std::map<std::string, T>*>(map)->try_emplace(std::move(key));
      if (!is_new) slot->second = T();
      return &slot->second;
    },
    [](const void* map) { return static_cast<const std::map<std::string, T>*>(map)->size(); },
    [](const void* map, void* state, MapAccess::Visit visit) {
      for (const auto& [key, value] : *static_cast<const std::map<std::string, T>*>(map)) visit(state, key, &value);
    },
    [](void* map) { static_cast<std::map<std::string, T>*>(map)->clear(); }};

template <class T>
inline constexpr Lifetime kLifetime{sizeof(T), alignof(T), [](void* place) { ::new (place) T(); },
                                    [](void* structure) { std::destroy_at(static_cast<T*>(structure)); }};

template <class Event>
inline constexpr EventAccess kEvents{[](const void* stream, const Shape& events, Encoding encoding) -> NextEvent {
  return [stream = as<EventStream<Event>>(stream), &events, encoding]() -> Task<std::optional<EventMessage>> {
    // Copies: the function may go away while this waits.
    const EventStream<Event> source = stream;
    const Shape& shape = events;
    const Encoding wanted = encoding;
    const std::optional<Event> event = co_await source.next();
    if (!event) co_return std::nullopt;
    co_return encode_event(shape, &*event, wanted);
  };
}};

}  // namespace tidemill::wire::shapes

// Items as Amazon Ion text (amazon-ion.github.io/ion-docs), as table exports write them and imports read them
// (developer guide, "Table export output format", "Import formats"):
//
//   S  string    N  decimal    B  blob    BOOL  bool    NULL  null    L  list    M  struct
//   SS, NS, BS  lists with the annotation $dynamodb_SS, $dynamodb_NS or $dynamodb_BS
//
// Read are also integers, as N, long strings, comments, and annotations that say nothing here. Floats, timestamps,
// symbols, clobs and S-expressions have no type of DynamoDB's: they are refused.
#pragma once

#include <string>
#include <string_view>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {

// What a document of Ion's first version begins with.
inline constexpr std::string_view kIonVersionMarker = "$ion_1_0";

// One struct, in one line.
void append_ion(std::string& out, ItemView item);
void append_ion(std::string& out, ValueView value);

// The one struct that `text` holds, behind any version markers; its members may nest `kDepthMax` levels and one more,
// for what wraps an item. Throws ValueError.
[[nodiscard]] Item item_from_ion(std::string_view text);

}  // namespace tidemill::lang::dynamodb

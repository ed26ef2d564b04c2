// The items of one answer to a Query or Scan: up to a megabyte of them.
#pragma once

#include <string>
#include <vector>

#include "lang/dynamodb/value.h"

namespace tidemill::lang::dynamodb {

// What somebody makes of the items who reads a page.
enum class ItemForm {
  encoded,  // goes through them
  json,     // sends them on
};

// In one of the two forms. An answer's text is made while its items are read, one by one: to write a whole page at the end
// would keep everybody else waiting for milliseconds.
struct ItemPage {
  std::vector<Item> items;
  std::string json;  // the whole list, "[…]"
};

}  // namespace tidemill::lang::dynamodb

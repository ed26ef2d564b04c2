// The types that every file here speaks: items and values are lang's encoded bytes.
#pragma once

#include "lang/dynamodb/value.h"

namespace tidemill::dynamodb {

using lang::dynamodb::Item;
using lang::dynamodb::ItemView;
using lang::dynamodb::Type;
using lang::dynamodb::Value;
using lang::dynamodb::ValueView;

}  // namespace tidemill::dynamodb

// Items and attribute values in requests and answers of DynamoDB: lang's codec with wire's errors.
#pragma once

#include <type_traits>

#include "lang/dynamodb/item_page.h"
#include "lang/dynamodb/value.h"

namespace tidemill::wire::shapes {
struct Codec;
}

namespace tidemill::wire::codecs {

extern const shapes::Codec kItem;
extern const shapes::Codec kItemPage;  // written only
extern const shapes::Codec kSpelledItem;
extern const shapes::Codec kValue;

// For the tables of the models.
constexpr const shapes::Codec* codec_of(std::type_identity<lang::dynamodb::Item>) { return &kItem; }
constexpr const shapes::Codec* codec_of(std::type_identity<lang::dynamodb::ItemPage>) { return &kItemPage; }
constexpr const shapes::Codec* codec_of(std::type_identity<lang::dynamodb::SpelledItem>) { return &kSpelledItem; }
constexpr const shapes::Codec* codec_of(std::type_identity<lang::dynamodb::Value>) { return &kValue; }

}  // namespace tidemill::wire::codecs

// Inside: capital and small letters of Unicode, one to one.
#pragma once

namespace tidemill::lang::jsonata {

[[nodiscard]] char32_t lower_case(char32_t point);
[[nodiscard]] char32_t upper_case(char32_t point);

}  // namespace tidemill::lang::jsonata

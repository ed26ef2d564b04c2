// Inside: rounding as $round does it.
#pragma once

namespace tidemill::lang::jsonata {

// To `digits` behind the point (before it, if negative); halves of the decimal text go to the even neighbour.
[[nodiscard]] double round_half_even(double number, double digits);

}  // namespace tidemill::lang::jsonata

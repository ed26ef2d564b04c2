// The formats of a query's object and results, as requests say them. Throw AWS's errors for what is wrong.
#pragma once

#include "lang/select/scan.h"
#include "services/s3/unpacking.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

[[nodiscard]] lang::select::Input select_input_of(const wire::s3::InputSerialization& input);
[[nodiscard]] lang::select::Output select_output_of(const wire::s3::OutputSerialization& output);
[[nodiscard]] Packing packing_of(const wire::s3::InputSerialization& input);

// As a refusal of the whole request.
[[nodiscard]] wire::Error select_refusal(const lang::select::SelectError& error);

}  // namespace tidemill::s3

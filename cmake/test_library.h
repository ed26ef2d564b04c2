// Precompiled for every unit test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "standard_library.h"

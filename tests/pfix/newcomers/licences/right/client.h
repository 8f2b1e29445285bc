// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "licence_pool.h"

#include <string>

struct Outcome {
    int served = 0;
    int refused = 0;
};

// Somebody at a screen: asks once and is told if it cannot be.
Outcome interactive(LicencePool &pool, const std::string &name);

// A job that asks for each of its steps.
Outcome batch(LicencePool &pool, const std::string &name, int steps);

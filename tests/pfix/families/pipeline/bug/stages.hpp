// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "channel.hpp"

/// Sends 1 .. count and closes.
void source(Channel<int> &out, int count);

/// Adds up what it receives.
void summer(Channel<int> &in, long &sum);

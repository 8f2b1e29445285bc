// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fonts.h"

#include <string>

class Layout
{
  public:
    explicit Layout(Fonts &fonts) : fonts_(fonts) {}

    // The width of a text; -1: there is no such font.
    int width(const std::string &text, const std::string &font) const;

  private:
    Fonts &fonts_;
};

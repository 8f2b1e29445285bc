// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

int Layout::width(const std::string &text, const std::string &font) const
{
    const Font *f = fonts_.find(font);
    if (!f)
        return -1;
    int width = static_cast<int>(text.size()) * f->size;
    if (f->weight >= 700)
        width += static_cast<int>(text.size());
    return width;
}

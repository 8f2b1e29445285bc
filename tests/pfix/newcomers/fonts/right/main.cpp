// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <cstdio>
#include <thread>

int main()
{
    Fonts fonts("fonts.txt");
    int widths[2] = {0, 0};

    std::thread title([&] { widths[0] = Layout(fonts).width("Heddle", "head"); });
    std::thread footer([&] { widths[1] = Layout(fonts).width("page 1", "note"); });
    title.join();
    footer.join();

    if (widths[0] != 102 || widths[1] != 48 || fonts.loads() != 1) {
        std::fprintf(stderr, "widths %d %d, loaded %d times\n", widths[0], widths[1], fonts.loads());
        return 1;
    }
    return 0;
}

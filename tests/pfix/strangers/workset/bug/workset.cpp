// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <thread>

#include "work_set.hpp"

static WorkSet<int> claimed;

static void work(int first, int last, int* done) {
  for (int i = first; i <= last; i++)
    if (claimed.claim(i)) ++*done;
}

int main() {
  int done[2] = {0, 0};
  std::thread a(work, 0, 1, &done[0]);
  std::thread b(work, 1, 2, &done[1]);
  a.join();
  b.join();
  if (done[0] + done[1] != 3) {
    std::fprintf(stderr, "%d items done\n", done[0] + done[1]);
    return 1;
  }
  return 0;
}

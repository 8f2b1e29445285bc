// SPDX-License-Identifier: Apache-2.0
#include "deque.hpp"

#include <cstdio>
#include <functional>
#include <thread>

struct Task {
  int weight;
};

static WorkDeque<Task> lanes[2];

static bool next_task(int me, Task &task) {
  WorkDeque<Task> &own = lanes[me], &other = lanes[1 - me];
  if (!own.empty()) {
    task = own.pop();
    return true;
  }
  if (!other.empty()) {
    task = other.steal();
    return true;
  }
  return false;
}

static void work(int me, int &done) {
  Task task;
  while (next_task(me, task))
    done += task.weight;
}

int main() {
  int done[2] = {0, 0};

  lanes[0].push({1});
  lanes[0].push({2});
  lanes[1].push({4});
  std::thread other(work, 1, std::ref(done[1]));
  work(0, done[0]);
  other.join();
  if (done[0] + done[1] != 7) {
    std::fprintf(stderr, "%d of 7 done\n", done[0] + done[1]);
    return 1;
  }
  return 0;
}

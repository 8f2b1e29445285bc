// SPDX-License-Identifier: Apache-2.0
#include "ref_str.hpp"

#include <cstdio>
#include <thread>

using RefStr = Ref<std::string>;

static void use(RefStr *own, int &length)
{
  length += static_cast<int>(own->get().size());
  delete own;
}

int main()
{
  int first = 0, second = 0;
  {
    RefStr *shared = new RefStr(std::string("twelve chars"));
    RefStr *copy = new RefStr(*shared);
    std::thread a(use, shared, std::ref(first));
    std::thread b(use, copy, std::ref(second));
    a.join();
    b.join();
  }
  if (RefStr::gone != RefStr::made || first + second != 24) {
    std::fprintf(stderr, "made %d, gone %d\n", RefStr::made.load(), RefStr::gone.load());
    return 1;
  }
  return 0;
}

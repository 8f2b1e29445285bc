// SPDX-License-Identifier: Apache-2.0
// A worker per upload; it begins to work when the object is made.
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>

class Upload {
public:
  using Done = std::function<void(int)>;

  Upload(std::string name, int size, Done done)
      : name_(std::move(name)), worker_([this] { run(); }) {
    size_ = size;
    done_ = std::move(done);
  }

  ~Upload() { worker_.join(); }

private:
  void run() {
    int sent = 0;
    while (sent < size_)
      sent += 10;
    if (done_)
      done_(sent);
  }

  std::string name_;
  int size_ = 0;
  Done done_;
  std::thread worker_;
};

int main() {
  int total[2] = {0, 0};
  {
    Upload first("a.bin", 30, [&](int n) { total[0] = n; });
    Upload second("b.bin", 20, [&](int n) { total[1] = n; });
  }
  std::printf("%d and %d sent\n", total[0], total[1]);
  return total[0] == 30 && total[1] == 20 ? 0 : 1;
}

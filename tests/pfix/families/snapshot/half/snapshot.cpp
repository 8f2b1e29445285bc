// SPDX-License-Identifier: Apache-2.0
// A price list is built aside and then shown to the readers, who never wait.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

struct PriceList {
  int version = 0;
  std::array<int, 3> price{};
};

class PriceBoard {
public:
  PriceBoard() : lists_(2), current_(nullptr) {}

  // Only the publisher's thread calls this.
  void publish(int version, int base) {
    PriceList &fresh = lists_[static_cast<size_t>(version) % lists_.size()];
    fresh.version = version;
    for (size_t i = 0; i < fresh.price.size(); i++)
      fresh.price[i] = base + static_cast<int>(i);
    current_.store(&fresh, std::memory_order_release);
  }

  // nullptr before the first list has been published.
  const PriceList *look() const {
    return current_.load(std::memory_order_relaxed);
  }

private:
  std::vector<PriceList> lists_;
  std::atomic<const PriceList *> current_;
};

static bool consistent(const PriceList &list) {
  for (size_t i = 1; i < list.price.size(); i++)
    if (list.price[i] != list.price[0] + static_cast<int>(i))
      return false;
  return list.price[0] == 100 * list.version;
}

class Reader {
public:
  explicit Reader(const PriceBoard &board) : board_(board) {}

  void operator()() {
    for (int i = 0; i < 3; i++) {
      const PriceList *list = board_.look();
      if (list == nullptr)
        std::this_thread::yield();
      else if (!consistent(*list))
        wrong_++;
    }
  }

  int wrong() const { return wrong_; }

private:
  const PriceBoard &board_;
  int wrong_ = 0;
};

int main() {
  PriceBoard board;
  Reader reader(board);
  std::thread thread(std::ref(reader));
  board.publish(1, 100);
  thread.join();
  if (reader.wrong() != 0 || board.look() == nullptr) {
    std::fprintf(stderr, "%d wrong lists\n", reader.wrong());
    return 1;
  }
  return 0;
}

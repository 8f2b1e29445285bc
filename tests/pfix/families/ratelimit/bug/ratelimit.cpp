// SPDX-License-Identifier: Apache-2.0
// Token bucket: requests take tokens, a ticker brings new ones.
#include <atomic>
#include <cstdio>
#include <thread>

namespace net {

class TokenBucket {
 public:
  TokenBucket(int tokens, int burst) : tokens_(tokens), burst_(burst) {}

  bool TryAcquire() {
    if (tokens_.load() <= 0) {
      return false;
    }
    tokens_.fetch_sub(1);
    return true;
  }

  // Only the ticker calls this.
  void Refill(int n) {
    const int before = tokens_.fetch_add(n);
    if (before < 0 || before + n > burst_) {
      ++out_of_range_;
    }
  }

  int tokens() const { return tokens_.load(); }
  int out_of_range() const { return out_of_range_; }

 private:
  std::atomic<int> tokens_;
  const int burst_;
  int out_of_range_ = 0;
};

}  // namespace net

namespace {

constexpr int kStart = 1;
constexpr int kRefill = 1;
constexpr int kRequests = 2;

int Client(net::TokenBucket& bucket) {
  int granted = 0;
  for (int i = 0; i < kRequests; ++i) {
    if (bucket.TryAcquire()) {
      ++granted;
    }
  }
  return granted;
}

}  // namespace

int main() {
  net::TokenBucket bucket(kStart, 8);
  int granted = 0;
  std::thread ticker([&bucket] { bucket.Refill(kRefill); });
  std::thread client([&bucket, &granted] { granted = Client(bucket); });

  const int own = Client(bucket);
  client.join();
  ticker.join();
  const int sum = granted + own;
  if (bucket.tokens() < 0 || sum + bucket.tokens() != kStart + kRefill ||
      bucket.out_of_range() != 0) {
    std::fprintf(stderr, "%d granted, %d left of %d\n", sum, bucket.tokens(), kStart + kRefill);
    return 1;
  }
  return 0;
}

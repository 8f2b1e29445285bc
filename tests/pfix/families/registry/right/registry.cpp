// SPDX-License-Identifier: Apache-2.0
// Codecs register themselves by name in the one registry of the process.
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Codec {
public:
  explicit Codec(int block) : block_(block) {}
  int block() const { return block_; }

private:
  int block_;
};

class Registry {
public:
  static Registry &instance();

  void add(const std::string &name, const Codec &codec) {
    std::lock_guard<std::mutex> lock(mutex_);
    codecs_.emplace(name, codec);
  }

  int block_of(const std::string &name) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = codecs_.find(name);
    return it == codecs_.end() ? -1 : it->second.block();
  }

private:
  Registry() = default;

  mutable std::mutex mutex_;
  std::map<std::string, Codec> codecs_;
};

Registry &Registry::instance() {
  static Registry registry;
  return registry;
}

static void load_plugin(const char *name, int block) {
  Registry::instance().add(name, Codec(block));
}

int main() {
  std::thread gzip(load_plugin, "gzip", 32);
  std::thread zstd(load_plugin, "zstd", 128);
  gzip.join();
  zstd.join();

  const Registry &all = Registry::instance();
  if (all.block_of("gzip") != 32 || all.block_of("zstd") != 128) {
    std::fprintf(stderr, "gzip %d, zstd %d\n", all.block_of("gzip"),
                 all.block_of("zstd"));
    return 1;
  }
  return 0;
}

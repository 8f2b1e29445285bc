// SPDX-License-Identifier: Apache-2.0
//
// Two threads log at once: through a logger with a lock into a sink of ours that counts without one, and through
// spdlog's pool of threads, whose queue is too short for all of it.
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

static constexpr int lines = 3, threads = 2;

class counting : public spdlog::sinks::base_sink<std::mutex> {
  public:
    int count = 0;
    std::size_t bytes = 0;

  protected:
    void sink_it_(const spdlog::details::log_msg &message) override
    {
        spdlog::memory_buf_t text;
        formatter_->format(message, text);
        count++;
        bytes += text.size();
    }
    void flush_() override {}
};

static void log_from_all(const std::shared_ptr<spdlog::logger> &logger)
{
    std::thread other([&] {
        for (int i = 0; i < lines; i++)
            logger->info("line {} of the other thread", i);
    });
    for (int i = 0; i < lines; i++)
        logger->warn("line {}", i);
    other.join();
}

int main()
{
    auto now = std::make_shared<counting>(), later = std::make_shared<counting>();
    now->set_pattern("%l %v"), later->set_pattern("%l %v");
    log_from_all(std::make_shared<spdlog::logger>("now", now));
    {
        auto pool = std::make_shared<spdlog::details::thread_pool>(2, 1);
        auto logger = std::make_shared<spdlog::async_logger>("later", later, pool, spdlog::async_overflow_policy::block);
        log_from_all(logger);
        logger->flush();
    }
    bool is_good = now->count == lines * threads && later->count == lines * threads && now->bytes == later->bytes;
    std::puts(is_good ? "good" : "bad");
    return !is_good;
}

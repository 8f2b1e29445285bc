// SPDX-License-Identifier: Apache-2.0
//
// A web server of cpp-httplib with two workers, and two clients. Each answer carries a number that no other one may
// have: the handler counts under a lock, the clients compare.
#include <httplib.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

static constexpr int clients = 2, requests = 2;

int main()
{
    std::mutex lock;
    int served = 0;
    std::set<int> seen;
    httplib::Server server;
    server.new_task_queue = [] { return new httplib::ThreadPool(2); };
    server.Get("/number", [&](const httplib::Request &, httplib::Response &answer) {
        std::lock_guard<std::mutex> hold(lock);
        answer.set_content(std::to_string(++served), "text/plain");
    });
    int port = server.bind_to_any_port("127.0.0.1");
    std::thread listener([&] { server.listen_after_bind(); });
    std::vector<std::thread> asking;
    for (int i = 0; i < clients; i++)
        asking.emplace_back([&] {
            httplib::Client client("127.0.0.1", port);
            for (int k = 0; k < requests; k++) {
                auto answer = client.Get("/number");
                if (!answer || answer->status != 200)
                    std::exit(1);
                std::lock_guard<std::mutex> hold(lock);
                seen.insert(std::stoi(answer->body));
            }
        });
    for (auto &thread : asking)
        thread.join();
    server.stop();
    listener.join();
    if (seen.size() != clients * requests)
        return 1;
    std::puts("good");
    return 0;
}

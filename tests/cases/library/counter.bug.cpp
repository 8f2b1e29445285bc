// SPDX-License-Identifier: Apache-2.0
//~ expect: race A A
// A plain counter in a program full of containers: what they do under a lock orders nothing else.
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex lock;
static std::map<int, std::string> names;
static std::list<int> recent;
static std::unordered_map<int, int> counts;
static std::set<std::string> seen;
static int total;

static void work(int id)
{
    for (int i = 0; i < 6; i++) {
        std::ostringstream text;
        text << id << "." << i;
        std::lock_guard<std::mutex> guard(lock);
        names[(i * 7 + id) % 11] = text.str();
        recent.push_back(i);
        counts[i * id]++;
        seen.insert(text.str());
        if (i % 3 == 2)
            names.erase(names.begin());
        if (recent.size() > 3)
            recent.pop_front();
    }
    total++; //~ A
}

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    std::cout << names.size() << " " << total << "\n";
}

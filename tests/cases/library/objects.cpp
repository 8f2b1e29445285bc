// SPDX-License-Identifier: Apache-2.0
// Two threads change one object of each kind that the library has, or with -DRIGHT under one
// lock: every line between the marks is a race, or none is.
#include <any>
#include <array>
#include <bitset>
#include <deque>
#include <forward_list>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#ifdef RIGHT
static std::mutex all;
#define ALONE std::lock_guard<std::mutex> guard(all)
#else
#define ALONE
#endif

static std::vector<int> vector_(4);
static std::vector<bool> flags_(70);
static std::deque<int> deque_;
static std::list<int> list_;
static std::forward_list<int> forward_;
static std::map<int, int> map_;
static std::set<int> set_;
static std::multimap<int, int> multimap_;
static std::unordered_map<int, int> hash_;
static std::unordered_set<int> hashset_;
static std::string string_ = "one";
static std::wstring wide_ = L"one";
static std::string_view view_ = "one";
static std::bitset<100> bits_;
static std::array<int, 4> array_;
static std::priority_queue<int> heap_;
static std::stack<int> stack_;
static std::shared_ptr<int> shared_ = std::make_shared<int>(1);
static std::weak_ptr<int> weak_;
static std::unique_ptr<int> unique_;
static std::function<int()> function_;
static std::optional<int> optional_;
static std::any any_;
static std::variant<int, double> variant_;
static std::tuple<int, int> tuple_;
static std::stringstream text_;
static std::ofstream file_("/dev/null");

static void change(int i)
{
    ALONE;
    // first
    vector_[1] = i;
    flags_[65] = i & 1;
    deque_.push_back(i);
    list_.push_back(i);
    forward_.push_front(i);
    map_[i] = i;
    set_.insert(i);
    multimap_.emplace(i, i);
    hash_[i] = i;
    hashset_.insert(i);
    string_ = i == 1 ? "two" : "three";
    wide_ += L"two";
    view_ = "two";
    bits_.set(i);
    array_[2] = i;
    heap_.push(i);
    stack_.push(i);
    shared_ = std::make_shared<int>(i);
    weak_ = shared_;
    unique_ = std::make_unique<int>(i);
    function_ = [i] { return i; };
    optional_ = i;
    any_ = i;
    variant_ = 1.5 * i;
    std::get<1>(tuple_) = i;
    text_ << i;
    file_ << i;
    // last
}

int main()
{
    std::thread a(change, 1), b(change, 2);
    a.join();
    b.join();
}

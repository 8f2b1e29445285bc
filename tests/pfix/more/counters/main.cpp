// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1, crash
// Two threads make entries of one std::map that has no lock.
#include <thread>

#include "counters.hpp"

static Named<int> counters;

static void work(const std::string &name)
{
	for (const char *kind : {"reads", "writes", "errors"})
		counters.of(name + kind) = 1;
}

int main()
{
	std::thread a(work, "disk ");
	std::thread b(work, "net ");
	a.join();
	b.join();
	return counters.size() == 6 && counters.has("net reads") ? 0 : 1;
}

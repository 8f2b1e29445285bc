// SPDX-License-Identifier: Apache-2.0
// A thermometer tells its observers; the first of them goes away in between.
#include "signal.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

int main()
{
	sig::Signal<int> changed;
	std::atomic<int> screen{0}, display{0}, alarm{0};

	int first = changed.connect([&](int degrees) { screen += degrees; });
	changed.connect([&](int degrees) { display += degrees; });
	changed.connect([&](int degrees) {
		if (degrees > 20)
			alarm++;
	});

	std::thread leaver([&] { changed.disconnect(first); });
	changed.emit(20);
	changed.emit(30);
	leaver.join();
	changed.emit(1);

	int seen = screen;
	if (display != 51 || alarm != 1 || (seen != 0 && seen != 20 && seen != 50)) {
		std::fprintf(stderr, "screen %d, display %d, alarm %d\n", seen, display.load(),
		             alarm.load());
		return 1;
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace sig
{

template <typename... Args> class Signal
{
public:
	using Function = std::function<void(Args...)>;

	int connect(Function function)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		slots_.push_back({++last_id_, std::move(function)});
		return last_id_;
	}

	void disconnect(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
		                            [id](const Slot &s) { return s.id == id; }),
		             slots_.end());
	}

	void emit(Args... args)
	{
		for (std::size_t i = 0;; i++) {
			Function function;
			{
				std::lock_guard<std::mutex> guard(mutex_);
				if (i >= slots_.size())
					return;
				function = slots_[i].function;
			}
			function(args...);
		}
	}

private:
	struct Slot {
		int id;
		Function function;
	};

	std::mutex mutex_;
	std::vector<Slot> slots_;
	int last_id_ = 0;
};

} // namespace sig

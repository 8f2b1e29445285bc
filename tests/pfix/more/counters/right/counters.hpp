// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

/* Named values of any kind, made on first use. */
template <class V>
class Named {
public:
	V &of(const std::string &name)
	{
		std::lock_guard<std::mutex> guard(lock);
		auto it = values.find(name);
		if (it == values.end())
			it = values.emplace(name, V()).first;
		return it->second;
	}

	bool has(const std::string &name) const
	{
		std::lock_guard<std::mutex> guard(lock);
		return values.count(name) != 0;
	}

	std::size_t size() const
	{
		std::lock_guard<std::mutex> guard(lock);
		return values.size();
	}

private:
	std::map<std::string, V> values;
	mutable std::mutex lock;
};

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

/* Named values of any kind, made on first use. */
template <class V>
class Named {
public:
	V &of(const std::string &name)
	{
		auto it = values.find(name);
		if (it == values.end())
			it = values.emplace(name, V()).first;
		return it->second;
	}

	bool has(const std::string &name) const
	{
		return values.count(name) != 0;
	}

	std::size_t size() const
	{
		return values.size();
	}

private:
	std::map<std::string, V> values;
};

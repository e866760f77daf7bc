// SPDX-License-Identifier: GPL-2.0
/* Namespaces, templates, lambdas. */

#include <vector>
#include <string>

volatile int sink;
namespace outside { namespace inside {
template <typename T> struct Box {
	T value;
	__attribute__((noinline)) T get(int x) const { sink += x; return value; }
	T twice() const { return get(1) + get(2); }
};

template <typename T> __attribute__((noinline)) T add(const Box<T> &a, const Box<T> &b)
{
	auto square = [](T x) { sink = x; return x * x; };
	return square(a.twice()) + square(b.twice());
}

__attribute__((noinline)) int apply(std::vector<int> &v)
{
	int sum = 0;
	for (int x : v)
		sum += x;
	v.push_back(sum);
	return sum;
}
}}
namespace { __attribute__((noinline)) int hidden(int x) { return sink = x; } }
int main(int argc, char **)
{
	outside::inside::Box<int> a{argc}, b{2};
	std::vector<int> v(argc);
	return outside::inside::add(a, b) + outside::inside::apply(v) + hidden(argc);
}

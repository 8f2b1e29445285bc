// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A vector grows in a parallel loop.
//~ libs: -fopenmp
#include <vector>
int main()
{
    std::vector<int> squares;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 10; i++)
        squares.push_back(i * i); //~ here
    return squares.size() > 10;
}

// SPDX-License-Identifier: Apache-2.0
#include "blob.h"

#include <cstdio>
#include <thread>
#include <vector>

namespace {

struct Request {
    BlobRef body;
    unsigned sum = 0;
};

void handle(Request &request)
{
    BlobRef mine = request.body;
    if (mine && mine->size() > 0)
        request.sum = mine->checksum();
    request.body = BlobRef();
}

} // namespace

int main()
{
    unsigned sums[2];
    {
        std::vector<Request> requests(2);
        {
            BlobRef body(new Blob("hello"));
            for (auto &r : requests)
                r.body = body;
        }
        std::thread first([&] { handle(requests[0]); });
        std::thread second([&] { handle(requests[1]); });
        first.join();
        second.join();
        sums[0] = requests[0].sum;
        sums[1] = requests[1].sum;
    }
    if (sums[0] != sums[1] || Blob::alive() != 0) {
        std::fprintf(stderr, "sums %u %u, %d blobs left\n", sums[0], sums[1], Blob::alive());
        return 1;
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Two writers and a reader on one LevelDB. A batch writes the same number under two keys: a
// snapshot that has two different ones has seen half of a batch.
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

static leveldb::DB *db;

static void must(const leveldb::Status &s)
{
    if (!s.ok()) {
        std::fprintf(stderr, "%s\n", s.ToString().c_str());
        std::exit(1);
    }
}

static void write_all(int who)
{
    for (int i = 0; i < 3; i++) {
        leveldb::WriteBatch batch;
        std::string value = std::to_string(10 * who + i);
        batch.Put("a", value);
        batch.Put("b", value);
        must(db->Write(leveldb::WriteOptions(), &batch));
    }
}

static void read_all()
{
    for (int i = 0; i < 3; i++) {
        leveldb::ReadOptions options;
        options.snapshot = db->GetSnapshot();
        std::string a, b;
        bool has = db->Get(options, "a", &a).ok(), also = db->Get(options, "b", &b).ok();
        db->ReleaseSnapshot(options.snapshot);
        if (has != also || a != b) {
            std::fprintf(stderr, "half of a batch was seen\n");
            std::exit(2);
        }
    }
}

int main()
{
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    must(leveldb::DB::Open(options, "leveldb.tmp", &db));
    std::thread one(write_all, 1), two(write_all, 2), three(read_all);
    one.join();
    two.join();
    three.join();
    delete db;
    std::puts("good");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * program: where a program's file is, and which build it is. */
#include "run/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool program_path(struct str *out, const char *name)
{
    if (strchr(name, '/')) {
        str_add(out, "%s", name);
        return access(out->at, X_OK) == 0;
    }
    const char *path = getenv("PATH"), *end;
    for (path = path ? path : "/usr/bin:/bin"; *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        out->len = 0;
        str_add(out, "%.*s%s%s", (int)(end - path), path, end > path ? "/" : "", name);
        if (access(out->at, X_OK) == 0)
            return true;
    }
    return false;
}

/* Four sums side by side: programs are large, and this is done for every run. */
static uint64_t hash_file(const struct bytes *b)
{
    uint64_t sums[4] = {0}, words[4];
    size_t at = 0;
    for (; at + sizeof words <= b->len; at += sizeof words) {
        memcpy(words, b->at + at, sizeof words);
        sums[0] = hash_u64(sums[0] ^ words[0]);
        sums[1] = hash_u64(sums[1] ^ words[1]);
        sums[2] = hash_u64(sums[2] ^ words[2]);
        sums[3] = hash_u64(sums[3] ^ words[3]);
    }
    return hash_bytes(sums, sizeof sums) ^ hash_bytes(b->at + at, b->len - at);
}

int run_file_hash(struct str *out, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    if (bytes_read(&b, path, err) < 0)
        return -1;
    str_add(out, "%016llx", (unsigned long long)hash_file(&b));
    return 0;
}

void run_build(struct str *out, const char *program)
{
    AUTO(str) struct str path = {0};
    struct err ignored;
    if (program_path(&path, program) && run_file_hash(out, path.at, &ignored) < 0)
        return; /* nobody knows, then */
}

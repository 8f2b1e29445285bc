/* SPDX-License-Identifier: Apache-2.0
 *
 * files: where everything of a campaign lies, and whether what a unit executes is here what it
 * was where the campaign was planned. */
#include "campaign/campaign-parts.h"

#include "base/capture.h"
#include "base/self.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void file_of(struct str *out, const char *directory, const char *name)
{
    out->len = 0;
    str_add(out, "%s/%s", directory, name);
}

void file_of_round(struct str *out, const char *directory, const char *name, uint32_t round)
{
    out->len = 0;
    str_add(out, "%s/%s-%u", directory, name, round);
}

void file_of_group(struct str *out, const char *directory, const char *name, uint64_t unit)
{
    out->len = 0;
    str_add(out, "%s/%s/%llu", directory, name, (unsigned long long)unit / CAMPAIGN_GROUP);
}

void file_of_unit(struct str *out, const char *directory, const char *name, uint64_t unit)
{
    file_of_group(out, directory, name, unit);
    str_add(out, "/%llu", (unsigned long long)unit);
}

void host_name(struct str *out)
{
    char name[256] = "";
    const char *node = getenv("SLURMD_NODENAME"); /* several may share a machine */
    if (gethostname(name, sizeof name - 1) < 0)
        strcpy(name, "?");
    str_add(out, "%s", node && *node ? node : name);
}

/* Two hosts, or two processes of one, may write the same file: each beside it under a name of
 * its own, and the last to rename leaves the same bytes as the first. */
int file_publish(const char *path, const struct str *data, struct err *err)
{
    AUTO(str) struct str temp = {0}, host = {0};
    host_name(&host);
    str_add(&temp, "%s.%s.%d", path, host.at, (int)getpid());
    AUTO(fd) int fd = open(temp.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    ssize_t n = 0;
    while (fd >= 0 && done < data->len &&
           ((n = write(fd, data->at + done, data->len - done)) > 0 || errno == EINTR))
        done += n > 0 ? (size_t)n : 0;
    bool is_good = fd >= 0 && done == data->len && fsync(fd) == 0 && rename(temp.at, path) == 0;
    if (is_good)
        return 0;
    err_sys(err, "%s", path);
    unlink(temp.at);
    return -1;
}

/* ---- hashes ----------------------------------------------------------------------------- */

struct hashing {
    struct campaign_plan *p;
    struct map by_path,
        by_both; /* of files: the first of this path; of this path and `whose` */
};

static int add_file(struct hashing *h, const char *path, const char *whose, struct err *err)
{
    AUTO(str) struct str hash = {0};
    struct campaign_plan *p = h->p;
    uint64_t key = hash_bytes(path, strlen(path));
    uint32_t *both = map_at(&h->by_both, hash_u64(key) ^ hash_bytes(whose, strlen(whose)));
    if (*both != NONE)
        return 0;
    *both = p->files.len;
    uint32_t *known = map_at(&h->by_path, key);
    if (*known == NONE && run_file_hash(&hash, path, err) < 0)
        return -1;
    struct campaign_file f = {.path = arena_text(&p->mem, path, strlen(path)),
                              .whose = arena_text(&p->mem, whose, strlen(whose))};
    f.hash = *known == NONE ? arena_text(&p->mem, hash.at, hash.len) : p->files.at[*known].hash;
    if (*known == NONE)
        *known = p->files.len;
    vec_push(&p->files, f);
    return 0;
}

/* What the loader would load, as it says itself: "name => /path (address)". Of a script or
 * what has no loader it says nothing. */
static int add_libraries(struct hashing *h, const char *program, struct err *err)
{
    AUTO(str) struct str said = {0};
    char *argv[] = {(char *)(uintptr_t)"ldd", (char *)(uintptr_t)program, NULL};
    if (capture(&said, argv, NULL) != 0)
        return 0;
    struct text rest = str_text(&said), line;
    while (words_next_line(&rest, &line)) {
        AUTO(str) struct str path = {0};
        line = text_trim(line);
        const char *slash = line.len ? memchr(line.at, '/', line.len) : NULL;
        const char *end =
            slash ? memchr(slash, ' ', line.len - (size_t)(slash - line.at)) : NULL;
        if (!end)
            continue;
        str_bytes(&path, slash, (size_t)(end - slash));
        if (add_file(h, path.at, program, err) < 0)
            return -1;
    }
    return 0;
}

static int hash_test(struct hashing *h, uint32_t i, struct err *err)
{
    const struct campaign_test *t = &h->p->tests.at[i];
    const char *program = t->argv.at[0];
    uint32_t before = h->p->files.len;
    if (add_file(h, program, program, err) < 0)
        return -1;
    if (h->p->files.len > before && add_libraries(h, program, err) < 0)
        return -1;
    return *t->input ? add_file(h, t->input, t->input, err) : 0;
}

static int hash_all(struct hashing *h, struct err *err)
{
    const struct campaign_plan *p = h->p;
    AUTO(str) struct str self = {0};
    self_path(&self);
    if (add_file(h, self.at, "", err) < 0)
        return -1;
    for (uint32_t i = 0; i < p->patches.len; i++)
        if (add_file(h, p->patches.at[i], "", err) < 0)
            return -1;
    for (uint32_t i = 0; i < p->mutants.len; i++)
        if (add_file(h, p->mutants.at[i], "", err) < 0)
            return -1;
    for (uint32_t i = 0; i < p->tests.len; i++)
        if (hash_test(h, i, err) < 0)
            return -1;
    return 0;
}

int files_hash(struct campaign_plan *p, struct err *err)
{
    struct hashing h = {.p = p};
    int result = hash_all(&h, err);
    map_done(&h.by_path);
    map_done(&h.by_both);
    return result;
}

static int differs(const struct campaign_file *f, const char *here, struct err *err)
{
    AUTO(str) struct str host = {0};
    host_name(&host);
    return err_set(err,
                   "host %s: %s is not the file that the campaign was planned with (%s, "
                   "planned %s)",
                   host.at, f->path, here, f->hash);
}

int files_check(const struct campaign_plan *p, const char *one, const char *other,
                struct err *err)
{
    for (uint32_t i = 0; i < p->files.len; i++) {
        const struct campaign_file *f = &p->files.at[i];
        AUTO(str) struct str hash = {0};
        struct err ignored;
        if (*f->whose && strcmp(f->whose, one) != 0 && strcmp(f->whose, other) != 0)
            continue;
        if (run_file_hash(&hash, f->path, &ignored) < 0)
            return differs(f, "it cannot be read", err);
        if (strcmp(hash.at, f->hash) != 0)
            return differs(f, hash.at, err);
    }
    return 0;
}

/* ---- words left for everybody ----------------------------------------------------------- */

static bool has_name(const struct campaign *c, const char *name)
{
    AUTO(str) struct str path = {0};
    file_of(&path, c->directory, name);
    return access(path.at, F_OK) == 0;
}

bool campaign_has_result(const struct campaign *c, uint64_t unit)
{
    AUTO(str) struct str path = {0};
    file_of_unit(&path, c->directory, "results", unit);
    return access(path.at, F_OK) == 0;
}

bool campaign_is_stopped(const struct campaign *c)
{
    return has_name(c, "stop");
}

int campaign_stop(const struct campaign *c, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    file_of(&path, c->directory, "stop");
    str_add(&text, "no unit begins while this is here\n");
    return file_publish(path.at, &text, err);
}

int campaign_resume(const struct campaign *c, struct err *err)
{
    AUTO(str) struct str path = {0};
    file_of(&path, c->directory, "stop");
    return unlink(path.at) == 0 || errno == ENOENT ? 0 : err_sys(err, "%s", path.at);
}

int campaign_begin(const struct campaign *c, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    if (has_name(c, "began"))
        return 0;
    file_of(&path, c->directory, "began");
    str_add(&text, "%llu\n", (unsigned long long)time(NULL));
    return file_publish(path.at, &text, err);
}

bool campaign_is_late(const struct campaign *c)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err ignored;
    uint64_t began;
    file_of(&path, c->directory, "began");
    if (c->plan.seconds == 0 || !has_name(c, "began") || bytes_read(&b, path.at, &ignored) < 0)
        return false;
    struct text line = text_trim((struct text){(const char *)b.at, (uint32_t)b.len});
    return text_number(line, &began) && (uint64_t)time(NULL) >= began + c->plan.seconds;
}

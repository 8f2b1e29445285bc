/* SPDX-License-Identifier: Apache-2.0
 *
 * libraries: which shared objects of ours a program may load: those that it needs, and those
 * that it names. */
#include "ir/bitcode.h"

#include "heddle/bitcode.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tries DIRECTORY/NAME; $ORIGIN is where the file that asks for it lies. true: it is known now,
 * or was before. What has no bitcode is of no use here. */
static bool try_object(struct ir *ir, const char *directory, size_t len, const char *asker,
                       const char *name)
{
    AUTO(str) struct str path = {0};
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    const char *slash = strrchr(asker, '/');
    for (unsigned i = 0; i < 2 && path.len == 0; i++) {
        size_t skip = strlen(origins[i]);
        if (len < skip || memcmp(directory, origins[i], skip) != 0)
            continue;
        str_add(&path, "%.*s", slash ? (int)(slash - asker) : 1, slash ? asker : ".");
        directory += skip;
        len -= skip;
    }
    str_add(&path, "%.*s/%s", (int)len, directory, name);
    for (uint32_t i = 0; i < ir->images.len; i++)
        if (strcmp(ir->images.at[i].path, path.at) == 0)
            return true;
    struct image im;
    struct err ignored;
    const uint8_t *at;
    uint64_t bytes;
    if (access(path.at, R_OK) < 0 || image_open(&im, path.at, &ignored) < 0)
        return false;
    bool is_ours = image_section(&im, BITCODE_SECTION, &at, &bytes);
    image_close(&im);
    return !is_ours || add_image(ir, path.at, &ignored) == 0;
}

/* In the directories of a list with colons. */
static bool find_object(struct ir *ir, const char *list, const char *asker, const char *name)
{
    while (list && *list) {
        size_t len = strcspn(list, ":");
        if (len && try_object(ir, list, len, asker, name))
            return true;
        list += len + (list[len] == ':');
    }
    return false;
}

/* As the loader looks for them, but for the system's directories: what lies there was not built
 * by us. */
static void add_named(struct ir *ir, uint32_t image, const char *name)
{
    const char *slash = strrchr(name, '/'), *asker = ir->images.at[image].path;
    if (slash)
        try_object(ir, name, (size_t)(slash - name), asker, slash + 1);
    else if (!find_object(ir, getenv("LD_LIBRARY_PATH"), asker, name))
        find_object(ir, image_search_path(&ir->images.at[image]), asker, name);
}

/* Is it the name of a shared object: something.so, or with a number behind? */
static bool is_object_name(const char *text, size_t len)
{
    while (len > 0 && (text[len - 1] == '.' || (text[len - 1] >= '0' && text[len - 1] <= '9')))
        len--;
    return len > 3 && len < 256 && memcmp(text + len - 3, ".so", 3) == 0;
}

/* What is loaded by dlopen is mostly named by a literal. One that is not loaded does no harm:
 * no event is of its sites. */
static void add_literals(struct ir *ir, uint32_t image)
{
    const uint8_t *at;
    uint64_t len;
    if (!image_section(&ir->images.at[image], ".rodata", &at, &len))
        return;
    while (len > 0) {
        const uint8_t *end = memchr(at, 0, len);
        size_t size = end ? (size_t)(end - at) : len;
        if (end && is_object_name((const char *)at, size))
            add_named(ir, image, (const char *)at);
        size = end ? size + 1 : len;
        at += size;
        len -= size;
    }
}

void add_objects(struct ir *ir)
{
    for (uint32_t i = 0; i < ir->images.len; i++) {
        const char *name;
        for (uint32_t k = 0; (name = image_needed(&ir->images.at[i], k)); k++)
            add_named(ir, i, name);
        add_literals(ir, i);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * start: before anything of the target runs, constructors of shared objects included. getenv
 * does not work yet; the settings come from the environment that .preinit_array is given:
 * HEDDLE_RT=key=value:key=value, or from the socket that HEDDLE_RT=serve=N names. Without
 * either the target runs as if we were not there. */
#include "heddle/weak.h"
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

struct rt rt;
__thread struct thr *self;
_Static_assert(offsetof(struct thr, last_write) == offsetof(struct __heddle_hot, last_write) &&
                   offsetof(struct thr, own) == offsetof(struct __heddle_hot, own_w) &&
                   offsetof(struct thr, shadow_mask) ==
                       offsetof(struct __heddle_hot, shadow_mask),
               "instrumented code looks at them");
EXPORT struct __heddle_site *__heddle_here;
EXPORT const uint8_t *__heddle_news = &rt.no_news;
EXPORT const char __heddle_abi_3 = 3;

struct setting {
    const char *name;
    size_t offset; /* in struct settings */
    bool is_path;
};

#define NUMBER(name) {#name, offsetof(struct settings, name), false}
static const struct setting settings[] = {
    {"dir", offsetof(struct settings, dir), true},
    {"pad", offsetof(struct settings, pad), true}, /* makes all environments equally long */
    {"shared", offsetof(struct settings, shared), true},
    {"schedule", offsetof(struct settings, schedule), true},
    {"input", offsetof(struct settings, input), true},
    {"targets", offsetof(struct settings, targets), true},
    {"peers", offsetof(struct settings, peers), true},
    {"client", offsetof(struct settings, client), true},
    {"process", offsetof(struct settings, process), true},
    {"switch", offsetof(struct settings, change), false},
    {"time", offsetof(struct settings, time_ns), false},
    {"tick", offsetof(struct settings, tick_ns), false},
    {"pace", offsetof(struct settings, step_ns), false},
    {"delay", offsetof(struct settings, delay_ns), false},
    {"stall", offsetof(struct settings, stall_ms), false},
    NUMBER(expired),
    NUMBER(seed),
    NUMBER(depth),
    NUMBER(length),
    NUMBER(steps),
    NUMBER(fair),
    NUMBER(spurious),
    NUMBER(bytes),
    NUMBER(budget),
    NUMBER(check),
    NUMBER(repeat),
    NUMBER(after),
    NUMBER(signal),
    {"aftertime", offsetof(struct settings, after_ns), false},
    NUMBER(window),
    {"windowthr", offsetof(struct settings, window_thr), false},
    {"windowstep", offsetof(struct settings, window_step), false},
    {"endthr", offsetof(struct settings, window_end_thr), false},
    {"endstep", offsetof(struct settings, window_end_step), false},
    NUMBER(sharing),
    NUMBER(family),
    NUMBER(children),
    NUMBER(apart),
    NUMBER(before),
    NUMBER(alone),
    {"copy", offsetof(struct settings, copy), true},
    {"from", offsetof(struct settings, from), true},
    NUMBER(values),
    NUMBER(record),
    NUMBER(calls),
    NUMBER(pin),
    NUMBER(cpu),
    NUMBER(weak),
    NUMBER(history),
    NUMBER(stop),
    NUMBER(end),
};

static bool is_key(const char *at, size_t len, const char *name)
{
    return __builtin_strlen(name) == len && __builtin_memcmp(at, name, len) == 0;
}

static void __attribute__((noreturn)) refuse(const char *what, const char *at, size_t len)
{
    char buf[PATH_BYTES];
    struct text text = {buf, 0, sizeof buf};
    text_put(&text, "heddle: HEDDLE_RT: ");
    text_put(&text, what);
    text_put(&text, " '");
    text_put_len(&text, at, len);
    text_put(&text, "'\n");
    sys_write(2, buf, text.len);
    sys_exit(4);
}

static void __attribute__((noreturn)) end_without_room(void)
{
    static const char text[] = "heddle: too little address space for a run: raise the limit "
                               "(ulimit -v unlimited) and try again\n";
    sys_write(2, text, sizeof text - 1);
    sys_exit(4);
}

/* A backslash stands before a colon, or another backslash, that is part of the path. */
static void path_copy(char *out, const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (value[i] == '\\' && i + 1 < len)
            i++;
        *out++ = value[i];
    }
}

static void set(const char *key, size_t key_len, const char *value, size_t len)
{
    if (is_key(key, key_len, "policy")) {
        rt.set.policy = policy_find(value, len);
        if (!rt.set.policy)
            refuse("no policy", value, len);
        return;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (!is_key(key, key_len, settings[i].name))
            continue;
        char *field = (char *)&rt.set + settings[i].offset;
        if (settings[i].is_path) {
            if (len >= PATH_BYTES)
                refuse("too long", value, len);
            path_copy(field, value, len);
            return;
        }
        uint64_t number = 0;
        for (size_t j = 0; j < len; j++) {
            if (value[j] < '0' || value[j] > '9')
                refuse("not a number", value, len);
            number = number * 10 + (uint64_t)(value[j] - '0');
        }
        __builtin_memcpy(field, &number, sizeof number);
        return;
    }
    refuse("unknown key", key, key_len);
}

static void read_settings(const char *s)
{
    rt.set.policy = &policy_fifo;
    rt.set.seed = 1;
    rt.set.depth = 3;
    rt.set.change = 50;
    rt.set.fair = 200000;
    rt.set.bytes = 4ULL << 30;
    rt.set.budget = NEVER;
    rt.set.check = rt.set.repeat = 1;
    rt.set.time_ns = 1735689600ULL * 1000000000; /* 2025-01-01: any run has the same clock */
    rt.set.tick_ns = 1000;
    rt.set.step_ns = 100;
    rt.set.delay_ns = DELAY_DEFAULT_NS;
    rt.set.history = WEAK_HISTORY;
    rt.set.stop = rt.set.end = NEVER;
    rt.set.values = rt.set.record = rt.set.pin = 1;
    while (*s) {
        const char *key = s;
        while (*s && *s != '=')
            s++;
        size_t key_len = (size_t)(s - key);
        if (!*s)
            refuse("no value for", key, key_len);
        const char *value = ++s;
        while (*s && *s != ':')
            s += s[0] == '\\' && s[1] ? 2 : 1;
        set(key, key_len, value, (size_t)(s - value));
        if (*s)
            s++;
    }
    rt.values_kept = rt.set.check && rt.set.values;
    rt.awaits_event = rt.set.stop != NEVER || rt.set.end != NEVER;
    if (rt.set.change == 0)
        rt.set.change = 1;
    if (rt.set.fair == 0)
        rt.set.fair = 1;
}

static int number_of(const char *digits)
{
    int number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = number * 10 + (*digits - '0');
    return number;
}

static void at_exit(int code, void *arg)
{
    struct thr *t = self;
    (void)arg;
    if (t && rt.on && !rt.ended && sys_getpid() == rt.pid)
        sched_before_end(t, true);
    outcome_exit(code);
}

static void start(int argc, char **argv, char **envp)
{
    (void)argc;
    const char *wanted = NULL;
    for (char **e = envp; *e && !wanted; e++)
        if (__builtin_strncmp(*e, "HEDDLE_RT=", 10) == 0)
            wanted = *e + 10;
    real_start();
    if (wanted && __builtin_strncmp(wanted, "serve=", 6) == 0)
        wanted = serve(number_of(wanted + 6));
    if (!wanted)
        return;
    read_settings(wanted);
    if (rt.set.family && family_join(argv, envp) < 0)
        refuse("cannot write to", rt.set.dir, __builtin_strlen(rt.set.dir));
    rt.no_unit = (struct __heddle_unit){
        .number = 1, .flags = HEDDLE_UNIT_BRANCHES, .texts = ""}; /* says nothing of its own */
    rt.nowhere.unit = &rt.no_unit;
    rt.pid = sys_getpid();
    rt.about_one = rt.set.process[0];
    if (memory_start() < 0)
        end_without_room();
    signal_early();
    chance_start();
    outcome_start();
    record_start();
    input_start();
    descriptor_start();
    peer_start();
    client_start();
    sched_start();
    globals_start();
    shadow_start(rt.running);
    pthread_atfork(NULL, NULL, process_off);
    on_exit(at_exit, NULL); /* the first registered is the last to run */
    process_watch_quick_exit();
    stream_start();
    thread_start_main();
    signal_start();
    outcome_fatal_signals();
    rt.on = true;
    spin_start();
    stretch_start(rt.running);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
                                                                              char **) = start;

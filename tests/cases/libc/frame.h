/* SPDX-License-Identifier: Apache-2.0
 * What the calls of `rows` refer to; `try` puts it in front of each program. */
#include <arpa/inet.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <glob.h>
#include <sched.h>
#include <semaphore.h>
#include <poll.h>
#include <sys/times.h>
#include <termios.h>
#include <uchar.h>
extern int __sprintf_chk(char *, int, size_t, const char *, ...);
extern int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
extern int __fprintf_chk(FILE *, int, const char *, ...);
static __thread wchar_t wide_local[16];
static __thread size_t size;
static __thread glob_t globbed;
static __thread char entry[4096];
static __thread struct passwd *passwd;
static __thread struct group *group;
static __thread uid_t one_id, two_id;
static __thread sigset_t signals;
static __thread pthread_attr_t attributes;
static __thread struct sched_param scheduling;
static __thread pthread_t child;
static pthread_mutex_t spare, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static void *nothing(void *arg)
{
    return arg;
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread char local[64] = "ab";
static __thread long big;
static __thread int one, two, three, four;
static __thread double real;
static __thread float real_f;
static __thread long double real_l;
static __thread char *state;
static __thread wchar_t *wide_state, wide_one, wide_two;
static __thread mbstate_t shift;
static __thread struct stat info;
static __thread struct in_addr address;
static __thread regex_t expression;
static volatile double zero;
static regex_t compiled;
static char text[] = "12", setting[] = "HEDDLE_P=1", *pointer = text;
static char *arguments[] = {"a", NULL};
static FILE *null_file, *wide_file, *number_file;
static DIR *directory;
static int null_fd, zero_fd, file_fd, socket_fd;
static const time_t now = 1000000;
static const struct tm broken_at = {.tm_mday = 5};
static __thread struct tm broken = {.tm_mday = 5};
static const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
static struct addrinfo *found;
static void *tree;
static void keep(long value)
{
    static __thread volatile long kept;
    kept = value;
}
static int compare(const void *a, const void *b)
{
    return *(const long *)a > *(const long *)b;
}
#define LIST(name, call, last, ...)   \
    static int name(__VA_ARGS__, ...) \
    {                                 \
        va_list l;                    \
        va_start(l, last);            \
        int n = call;                 \
        va_end(l);                    \
        return n;                     \
    }
LIST(list_print, vprintf(f, l), f, const char *f)
LIST(list_file, vfprintf(stderr, f, l), f, const char *f)
LIST(list_make, vasprintf(p, f, l), f, char **p, const char *f)
LIST(list_wide, vswprintf(p, s, f, l), f, wchar_t *p, size_t s, const wchar_t *f)
LIST(list_wide_scan, vswscanf(p, f, l), f, const wchar_t *p, const wchar_t *f)
LIST(list_into, vsnprintf(p, s, f, l), f, char *p, size_t s, const char *f)
LIST(list_sprintf, vsprintf(p, f, l), f, char *p, const char *f)
LIST(list_scan, vsscanf(p, f, l), f, const char *p, const char *f)
static void start(void)
{
    int ends[2];
    null_file = fopen("/dev/null", "w");
    wide_file = fopen("/dev/null", "w");
    file_fd = open("numbers", O_RDWR | O_CREAT, 0600);
    write(file_fd, "11 22 33 44 55 66 77 88\n99 11 22 33 44\n", 39);
    number_file = fopen("numbers", "r");
    directory = opendir("/");
    null_fd = open("/dev/null", O_WRONLY);
    zero_fd = open("/dev/zero", O_RDONLY);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    socket_fd = ends[0];
    regcomp(&compiled, "a", 0);
}

/* Wide characters on files and standard input; one thread asks a stream while others write. */
//~ exit: 0
//~ stdin: größe
//~ stdin: x
//~ stdout: wide 1, printed 12, "wörld 7 — é", "second", then df, 5a and the end
//~ stdout: standard input: größe, then 78
//~ stdout: 80 lines, all whole
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

enum { LINES = 40 };
static FILE *out;
static int ends[2];

static void one_thread(void)
{
    FILE *f = tmpfile();
    wchar_t first[40], second[40];
    int is_wide = fwide(f, 1), len = fwprintf(f, L"%ls %d — é\n", L"wörld", 7);
    fputws(L"second\n", f);
    fputwc(L'ß', f);
    rewind(f);
    fgetws(first, 40, f);
    fgetws(second, 40, f);
    first[len - 1] = second[6] = 0;
    wint_t last = fgetwc(f);
    ungetwc(L'Z', f);
    wint_t again = fgetwc(f), end = fgetwc(f);
    printf("wide %d, printed %d, \"%ls\", \"%ls\", then %x, %x and %s\n", is_wide > 0, len,
           first, second, last, again, end == WEOF && feof(f) ? "the end" : "more");
    fclose(f);
    fgetws(first, 6, stdin);
    getwchar();
    printf("standard input: %ls, then %x\n", first, getwc(stdin));
}

/* The pipe is small: a writer waits for the reader with the stream's lock in hand. */
static void *writes(void *unused)
{
    for (int i = 0; i < LINES; i++) {
        fprintf(out, "%0999d\n", i);
        fflush(i % 2 ? out : NULL);
    }
    return unused;
}

static void *asks(void *unused)
{
    for (int i = 0; i < 5 * LINES; i++)
        if (feof(out) || ferror(out) || ftell(out) >= 0)
            printf("odd\n");
    return unused;
}

int main(void)
{
    pthread_t t[3];
    char part[1000];
    long bytes = 0, lines = 0;
    setlocale(LC_ALL, "C.UTF-8");
    one_thread();
    if (pipe(ends))
        return 1;
    out = fdopen(ends[1], "w");
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? writes : asks, NULL);
    for (ssize_t n; bytes < 2000L * LINES && (n = read(ends[0], part, sizeof part)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            lines += ++bytes % 1000 == 0 && part[i] == '\n';
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%ld lines, all whole\n", lines);
    return 0;
}

/* Arguments, the program's name and an environment variable reach threads unchanged. */
//~ exit: 0
//~ args: one "two words" --flag=3
//~ stdout: [one][two words][--flag=3]
//~ stdout: set in a thread: heddle, unset again: nothing
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char **arguments;

static void *print(void *arg)
{
    for (char **a = arguments + 1; *a != NULL; a++)
        printf("[%s]", *a);
    putchar('\n');
    setenv("PROGRAM_UNDER", "heddle", 1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    arguments = argv;
    if (argc != 4)
        return 1;
    pthread_create(&t, NULL, print, NULL);
    pthread_join(t, NULL);
    printf("set in a thread: %s, ", getenv("PROGRAM_UNDER"));
    unsetenv("PROGRAM_UNDER");
    printf("unset again: %s\n", getenv("PROGRAM_UNDER") == NULL ? "nothing" : "something");
    return 0;
}

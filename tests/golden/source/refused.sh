#!/bin/sh
# What no section can be made of is refused, and says why; what the parser cannot see is noted.
# #if groups that this build leaves out count.
set +e # to refuse is to fail
one() {
    { printf '#include <pthread.h>\n#include <setjmp.h>\nint shared, y;\npthread_mutex_t m;\njmp_buf b;\n'; cat; } >one.c
    echo "$1:"
    "$BUILD/tools/section" one.c pthread:m out 2>&1 | sed "s,$PWD/,,g; /^--- a/,\$d; s/^/    /"
}
one 'a statement that an #if divides' <<'END'
int f(int x)
{
    x += shared //~ both
#ifdef NO_SUCH
         + 1
#endif
        ;
    return x;
}
END
one 'an else in an #if' <<'END'
int f(int x)
{
#ifndef NO_SUCH
    if (x)
        x++;
    else
#endif
        shared++; //~ both
    return x;
}
END
one 'an else that is left out' <<'END'
int f(int x)
{
#ifdef NO_SUCH
    if (x)
        x++;
    else
#endif
        shared++; //~ both
    return x;
}
END
one 'a condition that is left out' <<'END'
int f(int x)
{
#ifdef NO_SUCH
    while (y > 2 || (x && y))
#endif
        shared++; //~ both
    return x;
}
END
one 'a body in an #if' <<'END'
int f(int x)
{
    if (x)
#ifdef NO_SUCH
        x++;
#else
        shared++; //~ both
#endif
    return x;
}
END
one 'half of it in an #if' <<'END'
int f(int x)
{
#ifdef __linux__
    shared++; //~ from
#endif
    x += shared; //~ to
    return x;
}
END
one 'a return that is left out' <<'END'
int f(int x)
{
    x += shared; //~ from
#ifdef NO_SUCH
    /* return */
    if (x)
        return shared;
#endif
    shared = x; //~ to
    return x;
}
END
one 'a macro that returns what is shared' <<'END'
#define RETURN return shared
int f(int x)
{
    if (x) //~ from
        RETURN;
    x++; //~ to
    return x;
}
END
one 'a macro with a return inside' <<'END'
#define RETURN_IF(x) do { if (x) return shared; } while (0)
int f(int x)
{
    RETURN_IF(x); //~ both
    return x;
}
END
one 'a macro that locks and does more' <<'END'
#define LOCKED(statement)        \
    do {                         \
        pthread_mutex_lock(&m);  \
        statement;               \
        pthread_mutex_unlock(&m); \
    } while (0)
int f(int x)
{
    x = shared; //~ from
    LOCKED(shared += x);
    x++; //~ to
    return x;
}
END
one 'a result of locking' <<'END'
int f(int x)
{
    x = shared; //~ from
    if (pthread_mutex_lock(&m) != 0)
        return -1;
    shared += x; //~ to
    pthread_mutex_unlock(&m);
    return x;
}
END
one 'a jump back into it' <<'END'
int f(int x)
{
    shared++; //~ from
    if (setjmp(b))
        return x;
    shared--; //~ to
    return x;
}
END
one 'a computed goto' <<'END'
int f(int x)
{
    static void *const to[] = {&&out, &&again};
again:
    shared++; //~ from
    goto *to[x];
    shared--; //~ to
out:
    return x;
}
END
one 'a thread that ends with what is shared' <<'END'
void *f(void *x)
{
    shared++; //~ from
    if (x)
        pthread_exit((void *)(long)shared);
    shared--; //~ to
    return x;
}
END

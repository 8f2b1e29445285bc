/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of access, with what the pass has to find on the line: //~ kind name, ... */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
    unsigned low : 3, high : 5;
    char text[20];
    struct {
        int inner;
    };
    double list[4];
};
struct wide {
    long a, b, c;
};

struct node *head;
static struct node table[8];
struct wide from, to;
int count, other;
static const int fixed = 7;
volatile int flag;
static _Thread_local int mine;
long double precise;
float real;
_Atomic int shared;
_Atomic long word;
pthread_mutex_t lock, *which;
void (*hook)(void);
extern int elsewhere;

void globals(void)
{
    count = 1;             //~ write count
    count++;               //~ read count, write count
    other = count + fixed; //~ read count, write other
    elsewhere = 2;         //~ write elsewhere
    real = 1.5F;           //~ write real
    precise = 2.0L;        //~ write-range precise
    mine++;                //~ read mine, write mine
    to = from;             //~ copy to
    int unused = count;    //~ read count
}

int pointers(struct node *n, int i, int *p)
{
    n->value = 3;           //~ address write value
    n->next->value = 4;     //~ read next, address write value
    n->high = 5;            //~ read low/high, address write low/high
    n->inner = 6;           //~ write inner
    n->list[i] = 7.0;       //~ write list
    table[i].text[2] = 'x'; //~ write text
    *p = 8;                 //~ write *p
    head->next = n;         //~ read head, address write next
    return n->value;        //~ read value
}

int branches(struct node *n)
{
    if (n && n->value) //~ branch, read value, branch
        return 1;
    while (!flag) //~ read flag, branch
        ;
    for (int i = 0; i < 3; i++)
        count += i;  //~ read count, write count
    switch (other) { //~ read other, branch
    case 1:
        return 2;
    default:
        return count ? 3 : 4; //~ read count
    }
}

int locals(int n)
{
    int a = n, b[4] = {0}, escapes;
    b[n & 3] = a;
    scanf("%d", &escapes); //~ call escapes
    return b[0] + escapes; //~ read escapes
}

long atomics(void)
{
    int expected = 1;
    shared = 1;                                               //~ store shared
    shared += 2;                                              //~ rmw shared
    atomic_fetch_or_explicit(&word, 4, memory_order_relaxed); //~ rmw word
    atomic_compare_exchange_strong(&shared, &expected, 5);    //~ cas shared, branch
    atomic_thread_fence(memory_order_acquire);                //~ fence
    atomic_signal_fence(memory_order_acquire);
    return atomic_load_explicit(&word, memory_order_acquire); //~ load word
}

void by_value(struct wide w, int n);

void calls(struct node *n, size_t len)
{
    by_value(from, 1);           //~ call-copy by_value
    pthread_mutex_lock(&lock);   //~ call pthread_mutex_lock
    pthread_mutex_lock(which);   //~ read which, lock call pthread_mutex_lock
    hook();                      //~ read hook, callee call
    free(n);                     //~ foreign call free
    memcpy(n->text, head, len);  //~ read head, address copy text
    memset(&to, 0, sizeof to);   //~ set to
    strcpy(n->text, "constant"); //~ address text-call text
    globals();
}
